import type { LimitReports } from '@roomwire/shared/runtime/limitReports';
import { limitTable } from '@roomwire/shared/wire/limits/limitTable';

const mostFrames = limitTable.waitingFrames.value;
const most = limitTable.waitingBytes.value;
const mostOfAll = limitTable.waitingBytesOfAll.value;

/** The bytes that wait to be handled, over all connections. Those of a socket that is not read wait in the network, at its sender. */
export class WaitingBytes {
  private readonly limits: Pick<LimitReports, 'reached'>;
  private bytes = 0;

  constructor(limits: Pick<LimitReports, 'reached'>) {
    this.limits = limits;
  }

  /** Some more, or fewer. */
  add(bytes: number): void {
    this.bytes += bytes;
  }

  /** Whether a connection on which so many bytes, in so many frames, wait may not be read for now. */
  isEnough(own: number, frames = 0): boolean {
    if (frames >= mostFrames) this.limits.reached('waitingFrames');
    else if (own >= most) this.limits.reached('waitingBytes');
    else if (this.bytes >= mostOfAll) this.limits.reached('waitingBytesOfAll');
    else return false;
    return true;
  }
}

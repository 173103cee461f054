import type { Buffer } from 'node:buffer';
import type { LiveMessage } from '@roomwire/shared/wire/bus/liveMessage';
import { comparePlaces, type Place } from '@roomwire/shared/wire/protocol/position';
import type { Holding } from '../fanout/audience.js';

/** Of all replays of a gateway together: the memory in which messages wait. */
export class ReplayMemory {
  private readonly most: number;
  private taken = 0;

  constructor(most: number) {
    this.most = most;
  }

  get bytes(): number {
    return this.taken;
  }

  /** Returns false, and takes nothing, where there is not so much. */
  take(bytes: number): boolean {
    if (this.taken + bytes > this.most) return false;
    this.taken += bytes;
    return true;
  }

  give(bytes: number): void {
    this.taken -= bytes;
  }
}

/** What is beyond is read from the record: it costs a read and no memory. */
const mostBytes = 1024 * 1024;

interface HeldFrame {
  readonly frame: Buffer;
  /** Undefined for what is not in the record. */
  readonly place: Place | undefined;
}

/** The live messages of one subscription, in their order, while it gets what was published before. */
export class Hold implements Holding {
  private readonly memory: Pick<ReplayMemory, 'take' | 'give'>;
  private frames: HeldFrame[] = [];
  private bytes = 0;
  private isFull = false;

  constructor(memory: Pick<ReplayMemory, 'take' | 'give'>) {
    this.memory = memory;
  }

  /** Whether some were not kept: they have to be read from the record. */
  get hasLeftOut(): boolean {
    return this.isFull;
  }

  take(frame: Buffer, { place }: Pick<LiveMessage, 'place'>): void {
    if (this.isFull) return;
    this.isFull = this.bytes + frame.length > mostBytes || !this.memory.take(frame.length);
    if (this.isFull) return this.clear();
    this.bytes += frame.length;
    this.frames.push({ frame, place });
  }

  /** Keeps from now on what comes. */
  beginAnew(): void {
    this.clear();
    this.isFull = false;
  }

  /** Those up to a place, which are held no longer. */
  upTo(place: Place): readonly Buffer[] {
    const isEarlier = (held: HeldFrame): boolean =>
      held.place !== undefined && comparePlaces(held.place, place) <= 0;
    return this.release(this.frames.filter(isEarlier));
  }

  /** All of them, which are held no longer. */
  all(): readonly Buffer[] {
    return this.release(this.frames);
  }

  clear(): void {
    this.release(this.frames);
  }

  private release(released: readonly HeldFrame[]): readonly Buffer[] {
    const gone = new Set(released);
    const frames = released.map(({ frame }) => frame);
    const bytes = frames.reduce((sum, { length }) => sum + length, 0);
    this.frames = this.frames.filter((held) => !gone.has(held));
    this.bytes -= bytes;
    this.memory.give(bytes);
    return frames;
  }
}

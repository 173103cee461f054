import { setTimeout as pause } from 'node:timers/promises';
import type { Clock } from '../ports/clock.js';
import { addressGroup } from '../runtime/clientAddress.js';
import type { LimitReports } from '../runtime/limitReports.js';
import { limitTable } from '../wire/limits/limitTable.js';

export interface FailedAuthenticationsDeps {
  readonly clock: Pick<Clock, 'monotonic'>;
  readonly limits: Pick<LimitReports, 'reached'>;
  /** The longest that an answer is delayed; 0 delays none. */
  readonly longestDelayMs: number;
}

export interface FailedAuthentication {
  /** Of the client. */
  readonly address: string;
  /** The public id in the credential, where it has one: of this, too, failures are counted. */
  readonly keyId: string | undefined;
}

const firstDelayMs = 100;

/**
 * Counts failed authentications by address and by the id of the credential, and delays their answers, the longer the more there
 * were. Nothing is delayed before a credential has turned out to be bad: a good one never waits.
 */
export class FailedAuthentications {
  private readonly deps: FailedAuthenticationsDeps;
  private readonly byAddress: Failures;
  private readonly byKeyId: Failures;
  private delayed = 0;

  constructor(deps: FailedAuthenticationsDeps) {
    this.deps = deps;
    const onForgotten = (): void => deps.limits.reached('countedFailures');
    this.byAddress = new Failures(limitTable.failedAuthsPerAddress.value, onForgotten);
    this.byKeyId = new Failures(limitTable.failedAuthsPerCredential.value, onForgotten);
  }

  /** Counts a failure, and resolves when it may be answered. `onDelay` is called if that is not at once. */
  async failed(failure: FailedAuthentication, onDelay: () => void = () => undefined): Promise<void> {
    const delayMs = this.delayOf(failure);
    if (delayMs === 0) return;
    if (this.delayed >= limitTable.delayedAnswers.value)
      return this.deps.limits.reached('delayedAnswers', { ...failure });
    this.delayed++;
    onDelay();
    await pause(delayMs, undefined, { ref: false });
    this.delayed--;
  }

  private delayOf(failure: FailedAuthentication): number {
    const { clock, limits, longestDelayMs } = this.deps;
    const now = clock.monotonic();
    const { address, keyId } = failure;
    const ofAddress = this.byAddress.beyond(addressGroup(address), now);
    const ofKeyId = keyId === undefined ? 0 : this.byKeyId.beyond(keyId, now);
    if (ofAddress > 0) limits.reached('failedAuthsPerAddress', { ...failure });
    if (ofKeyId > 0) limits.reached('failedAuthsPerCredential', { ...failure });
    const beyond = Math.max(ofAddress, ofKeyId);
    if (beyond === 0 || longestDelayMs === 0) return 0;
    const delayMs = firstDelayMs * 2 ** (beyond - 1);
    if (delayMs > longestDelayMs) limits.reached('failedAuthDelayMs', { ...failure });
    return Math.min(longestDelayMs, delayMs);
  }
}

interface Count {
  readonly failures: number;
  readonly lastAt: number;
}

const maxCounts = limitTable.countedFailures.value;

/** After so long without a failure the earlier ones are forgotten. */
const forgottenMs = 300_000;

/** The recent failures of each of many addresses or credentials. */
class Failures {
  private readonly free: number;
  /** One is forgotten early. */
  private readonly onForgotten: () => void;
  /** Those that failed longest ago first. */
  private readonly counts = new Map<string, Count>();

  constructor(free: number, onForgotten: () => void) {
    this.free = free;
    this.onForgotten = onForgotten;
  }

  /** Counts one more; returns how many there are beyond the free ones. */
  beyond(of: string, now: number): number {
    const known = this.counts.get(of);
    const isRecent = known !== undefined && now - known.lastAt < forgottenMs;
    const failures = (isRecent ? known.failures : 0) + 1;
    this.counts.delete(of);
    this.counts.set(of, { failures, lastAt: now });
    if (this.counts.size > maxCounts) {
      this.counts.delete(this.counts.keys().next().value as string);
      this.onForgotten();
    }
    return Math.max(0, failures - this.free);
  }
}

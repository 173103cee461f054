import { EngineUnavailable } from '../../../ports/errors.js';
import type { OutageReport } from '../../../runtime/outage.js';
import { sleep, withTimeout } from '../../../runtime/waiting.js';

const betweenProbesMs = 500;
/** A slower broker is of no use to a caller that waits. */
const answersWithinMs = 2_000;

export interface Probes {
  /** Rejects where no broker does. */
  answers(): Promise<unknown>;
  /** Whether some partition that this process writes takes records, or may. Does not reject. */
  takesRecords(): Promise<boolean>;
}

/**
 * Whether the brokers answered the last request, and take records: those that answer may have no partition that can be written.
 * After a failure it probes until they do both.
 */
export class Reachability {
  private readonly probes: Probes;
  private readonly outage: OutageReport | undefined;
  private readonly closing = new AbortController();
  private hasAnswered = true;
  private takesRecords = true;
  private isProbing = false;
  /** Under way. */
  private doubt: Promise<void> | undefined;
  private writesDoubt: Promise<void> | undefined;

  constructor(probes: Probes, outage?: OutageReport) {
    this.probes = probes;
    this.outage = outage;
  }

  get isReachable(): boolean {
    return this.hasAnswered && this.takesRecords;
  }

  answered(): void {
    if (this.closing.signal.aborted) return;
    this.hasAnswered = true;
    if (this.takesRecords) this.outage?.over();
  }

  failed(error: unknown): void {
    if (this.closing.signal.aborted) return;
    this.hasAnswered = false;
    this.lost(error);
  }

  /** Something took long or failed, for which there may be other reasons. Resolves with whether they answer. */
  async doubted(): Promise<boolean> {
    if (this.hasAnswered && !this.isProbing)
      this.doubt ??= this.asked()
        .catch((error: unknown) => this.failed(error))
        .finally(() => (this.doubt = undefined));
    await this.doubt;
    return this.hasAnswered;
  }

  /** A partition has taken records. */
  written(): void {
    if (this.takesRecords || this.closing.signal.aborted) return;
    this.takesRecords = true;
    if (this.hasAnswered) this.outage?.over();
  }

  /** No partition of some topic takes records; whether those of others do is asked. */
  writesDoubted(): void {
    if (this.takesRecords)
      this.writesDoubt ??= this.judgeWrites().finally(() => (this.writesDoubt = undefined));
  }

  close(): void {
    this.hasAnswered = false;
    this.closing.abort();
  }

  /** Not more often than it probes: what cannot be written is tried again and again. */
  private async judgeWrites(): Promise<void> {
    const { signal } = this.closing;
    if (await this.probes.takesRecords()) return sleep(betweenProbesMs, signal);
    if (signal.aborted) return;
    this.takesRecords = false;
    this.lost(new Error('No partition takes records'));
  }

  private lost(error: unknown): void {
    this.outage?.failed(new EngineUnavailable('message bus', { cause: error }));
    if (!this.isProbing) void this.probe();
  }

  /** Rejects where they do not answer. */
  private async asked(): Promise<void> {
    const tooLate = (): never => {
      throw new Error(`No answer within ${answersWithinMs} ms`);
    };
    await withTimeout(answersWithinMs, this.probes.answers(), tooLate, { unref: true });
  }

  private async probe(): Promise<void> {
    const { signal } = this.closing;
    this.isProbing = true;
    while (!this.isReachable && !signal.aborted) {
      await sleep(betweenProbesMs, signal);
      await this.asked().then(
        () => this.answered(),
        (error: unknown) => this.hasAnswered && this.failed(error),
      );
      if (!this.takesRecords && this.hasAnswered && (await this.probes.takesRecords())) this.written();
    }
    this.isProbing = false;
  }
}

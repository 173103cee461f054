import type { Logger } from '../../../ports/logger.js';
import { sleep, withTimeout } from '../../../runtime/waiting.js';

const betweenProbesMs = 500;
/** A broker that takes longer is no help to anybody who waits. */
const answersWithinMs = 2_000;

/** Whether the brokers answered when they were last asked. After a failure it asks by itself until they do. */
export class Reachability {
  private readonly probe: () => Promise<unknown>;
  private readonly logger: Logger | undefined;
  private readonly closing = new AbortController();
  private hasAnswered = true;
  private isProbing = false;

  constructor(probe: () => Promise<unknown>, logger?: Logger) {
    this.probe = probe;
    this.logger = logger;
  }

  get isReachable(): boolean {
    return this.hasAnswered;
  }

  answered(): void {
    if (this.hasAnswered || this.closing.signal.aborted) return;
    this.hasAnswered = true;
    this.logger?.info('Kafka is within reach again');
  }

  failed(): void {
    if (this.closing.signal.aborted) return;
    if (this.hasAnswered) this.logger?.warn('Kafka cannot be reached');
    this.hasAnswered = false;
    if (!this.isProbing) void this.probeUntilAnswered();
  }

  /** Something took long that may have other reasons. */
  doubted(): void {
    if (this.hasAnswered && !this.isProbing)
      void this.answers().then((answers) => (answers ? undefined : this.failed()));
  }

  close(): void {
    this.hasAnswered = false;
    this.closing.abort();
  }

  private async answers(): Promise<boolean> {
    const probe = this.probe().then(
      () => true,
      () => false,
    );
    return withTimeout(answersWithinMs, probe, () => false, { unref: true });
  }

  private async probeUntilAnswered(): Promise<void> {
    const { signal } = this.closing;
    this.isProbing = true;
    while (!this.hasAnswered && !signal.aborted) {
      await sleep(betweenProbesMs, signal);
      if (await this.answers()) this.answered();
    }
    this.isProbing = false;
  }
}

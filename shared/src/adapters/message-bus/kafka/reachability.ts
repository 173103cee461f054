import type { Logger } from '../../../ports/logger.js';
import { sleep, withTimeout } from '../../../runtime/waiting.js';

const betweenProbesMs = 500;
/** A broker that takes longer is no help to anybody who waits. */
const answersWithinMs = 2_000;

/** Whether the brokers answered when they were last asked. After a failure it asks by itself until they do. */
export class Reachability {
  readonly #probe: () => Promise<unknown>;
  readonly #logger: Logger | undefined;
  readonly #closing = new AbortController();
  #isReachable = true;
  #isProbing = false;

  constructor(probe: () => Promise<unknown>, logger?: Logger) {
    this.#probe = probe;
    this.#logger = logger;
  }

  get isReachable(): boolean {
    return this.#isReachable;
  }

  answered(): void {
    if (this.#isReachable || this.#closing.signal.aborted) return;
    this.#isReachable = true;
    this.#logger?.info('Kafka is within reach again');
  }

  failed(): void {
    if (this.#closing.signal.aborted) return;
    if (this.#isReachable) this.#logger?.warn('Kafka cannot be reached');
    this.#isReachable = false;
    if (!this.#isProbing) void this.#probeUntilAnswered();
  }

  /** Something took long that may have other reasons. */
  doubted(): void {
    if (this.#isReachable && !this.#isProbing)
      void this.#answers().then((answers) => (answers ? undefined : this.failed()));
  }

  close(): void {
    this.#isReachable = false;
    this.#closing.abort();
  }

  async #answers(): Promise<boolean> {
    const probe = this.#probe().then(
      () => true,
      () => false,
    );
    return withTimeout(answersWithinMs, probe, () => false, { unref: true });
  }

  async #probeUntilAnswered(): Promise<void> {
    const { signal } = this.#closing;
    this.#isProbing = true;
    while (!this.#isReachable && !signal.aborted) {
      await sleep(betweenProbesMs, signal);
      if (await this.#answers()) this.answered();
    }
    this.#isProbing = false;
  }
}

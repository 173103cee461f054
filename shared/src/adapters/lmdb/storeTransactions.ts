import { EngineUnavailable, type EngineUse } from '../../ports/errors.js';
import type { DurableEnvironment } from './durableEnvironment.js';

/** The transactions of a store in an LMDB environment, until it is closed. Whatever fails is `EngineUnavailable`. */
export class StoreTransactions {
  private readonly environment: DurableEnvironment;
  private readonly use: EngineUse;
  private closed = false;
  private working: Promise<unknown> = Promise.resolve();

  constructor(environment: DurableEnvironment, use: EngineUse) {
    this.environment = environment;
    this.use = use;
  }

  get isOpen(): boolean {
    return !this.closed;
  }

  /** Throws once the store is closed. */
  assertOpen(): void {
    if (this.closed) throw new EngineUnavailable(this.use);
  }

  async run<T>(work: () => T): Promise<T> {
    this.assertOpen();
    const done = this.environment.transact(work);
    this.working = done.catch(() => undefined);
    return done.catch(this.unavailable);
  }

  /** Throws for the cause why something did not come to the disk. */
  readonly unavailable = (cause: unknown): never => {
    throw new EngineUnavailable(this.use, { cause });
  };

  /** Waits for what is under way; `idle` for what else writes. */
  async close(idle: () => Promise<unknown> = async () => undefined): Promise<void> {
    this.closed = true;
    await Promise.all([idle(), this.working]);
    await this.environment.close();
  }
}

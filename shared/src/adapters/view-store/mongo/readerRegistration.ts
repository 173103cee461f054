import { randomUUID } from 'node:crypto';
import type { Collection } from 'mongodb';
import { withTimeout } from '../../../runtime/waiting.js';
import type { StoredReader } from './viewCollections.js';

/** Far more often than `silentLooks` of `MongoViewVersions`. */
const beatMs = 2_000;
const farewellMs = 1_000;

export interface RegistrationDeps {
  readonly readers: Collection<StoredReader>;
  readonly version: number;
  /** For operators. */
  readonly name: string;
  /** Around everything that goes to the server. */
  readonly call: <T>(action: () => Promise<T>) => Promise<T>;
  /** With each beat: what is known of the read models is never older, whether anything is read or not. */
  readonly look: () => Promise<unknown>;
}

/** Says of a process, until it ends, that it reads the read models of a version. One that was killed falls silent. */
export class ReaderRegistration {
  private readonly deps: RegistrationDeps;
  private readonly id = randomUUID();
  private timer: NodeJS.Timeout | undefined;
  private beating: Promise<void> | undefined;

  constructor(deps: RegistrationDeps) {
    this.deps = deps;
  }

  async start(): Promise<void> {
    await this.beat();
    // A failure is told by `call`, and the next beat makes up for it.
    this.timer = setInterval(() => {
      this.beating ??= this.beat()
        .catch(() => undefined)
        .finally(() => (this.beating = undefined));
    }, beatMs).unref();
  }

  async close(): Promise<void> {
    clearInterval(this.timer);
    // Without an answer it counts as killed.
    await withTimeout(farewellMs, this.leave(), () => undefined);
  }

  private async leave(): Promise<void> {
    await this.beating;
    await this.deps.readers.deleteOne({ _id: this.id }).catch(() => undefined);
  }

  private async beat(): Promise<void> {
    const { readers, version, name, call, look } = this.deps;
    await call(async () => {
      const beat = { $set: { version, name }, $inc: { beats: 1 } };
      await readers.updateOne({ _id: this.id }, beat, { upsert: true });
      await look();
    });
  }
}

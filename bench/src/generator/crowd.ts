import type { Connection } from './connection.js';
import { FrameReader } from './frameReader.js';
import { inTurn } from './inTurn.js';
import type { CrowdJob } from './jobs.js';
import { wireOf } from './wires/wireOf.js';

/** Connections that are subscribed and told nothing. */
export class Crowd {
  readonly #connections: Connection[] = [];
  #failure: Error | undefined;
  #isOver = false;

  /** Resolves when all have been admitted and subscribed. */
  static async gather(job: CrowdJob, clients = job.clients): Promise<Crowd> {
    const crowd = new Crowd();
    const wire = wireOf(job.login);
    await inTurn(clients, job.atOnce, async (index) => {
      crowd.#keep(await wire.subscriber({ port: job.port, index, topic: job.topic }));
    });
    return crowd;
  }

  /** Throws when somebody was told something, or sent away. */
  check(): void {
    if (this.#failure) throw this.#failure;
  }

  /** All at once, without a word, as when a network fails. */
  async scatter(): Promise<void> {
    this.check();
    this.#isOver = true;
    for (const connection of this.#connections) connection.end();
    await Promise.all(this.#connections.map(({ closed }) => closed));
  }

  #keep(connection: Connection): void {
    this.#connections.push(connection);
    connection.receiver = new FrameReader((frame) => this.#fail(JSON.stringify(frame)));
    void connection.closed.then((error) => this.#fail(error.message));
  }

  #fail(reason: string): void {
    if (!this.#isOver) this.#failure ??= new Error(`The clients were disturbed by ${reason}`);
  }
}

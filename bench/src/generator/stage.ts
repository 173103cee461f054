import type { Buffer } from 'node:buffer';
import { setTimeout as wait } from 'node:timers/promises';
import type { Connection } from './connection.js';
import { FrameReader } from './frameReader.js';
import type { StageJob } from './jobs.js';
import { Subscriber, Tally } from './subscriber.js';
import type { Wire } from './wires/wire.js';
import { wireOf } from './wires/wireOf.js';

const joinsAtOnce = 50;
const lookEveryMs = 10;
const patienceMs = 3_000;

/** One publisher and its subscribers, connected and ready. */
export class Stage {
  published = 0;
  readonly tally = new Tally();
  readonly subscribers: Subscriber[] = [];
  readonly frame: Buffer;
  readonly wire: Wire;
  /** Subscribers that each message is for. */
  readonly audience: number;
  readonly #connections: Connection[] = [];
  #pacemaker: Subscriber | undefined;
  #publisher: Connection | undefined;
  #failure: Error | undefined;

  private constructor(job: StageJob) {
    const { topic, subscribers, filters } = job;
    this.audience = filters === 0 ? subscribers : subscribers / filters;
    this.wire = wireOf(job.login);
    this.frame = this.wire.publishFrame(topic, addressedFilter(job));
  }

  static async assemble(job: StageJob): Promise<Stage> {
    const stage = new Stage(job);
    try {
      for (let first = 0; first < job.subscribers; first += joinsAtOnce) {
        const count = Math.min(joinsAtOnce, job.subscribers - first);
        await Promise.all(Array.from({ length: count }, (_, index) => stage.#seat(job, first + index)));
      }
      stage.#publisher = stage.#keep(await stage.wire.publisher(job.port));
      stage.#publisher.receiver = new FrameReader((frame) =>
        stage.#fail(`a refusal: ${JSON.stringify(frame)}`),
      );
      return stage;
    } catch (error) {
      stage.close();
      throw error;
    }
  }

  /** The one whose deliveries drive the window: of those who get them the last to subscribe, who is served last. */
  get pacemaker(): Subscriber {
    if (this.#pacemaker === undefined) throw new Error('A stage needs subscribers');
    return this.#pacemaker;
  }

  get expected(): number {
    return this.published * this.audience;
  }

  publish(bytes: Buffer, messages: number): void {
    this.published += messages;
    this.#publisher?.write(bytes);
  }

  sample(isSampling: boolean): void {
    for (const subscriber of this.subscribers) subscriber.sample(isSampling);
  }

  /** Waits until everything has arrived, or nothing more does. Resolves with the number of deliveries that are missing. */
  async settle(): Promise<number> {
    let seen = -1;
    let quietMs = 0;
    while (this.tally.delivered < this.expected && quietMs < patienceMs) {
      quietMs = this.tally.delivered === seen ? quietMs + lookEveryMs : 0;
      seen = this.tally.delivered;
      await wait(lookEveryMs);
      this.check();
    }
    const surplus = this.subscribers.find(({ received }) => received > this.published);
    if (surplus) throw new Error(`A subscriber got ${surplus.received} of ${this.published} messages`);
    return this.expected - this.tally.delivered;
  }

  /** Throws when something has happened that makes the figures worthless. */
  check(): void {
    if (this.#failure) throw this.#failure;
    if (this.tally.unexpected > 0)
      throw new Error(`Subscribers got ${this.tally.unexpected} frames besides messages`);
  }

  close(): void {
    this.#failure ??= new Error('The stage is closed');
    for (const connection of this.#connections) connection.end();
  }

  async #seat(job: StageJob, index: number): Promise<void> {
    const { port, topic } = job;
    const seat = { port, index, topic, filter: filterOf(job, index) };
    const connection = this.#keep(await this.wire.subscriber(seat));
    const subscriber = new Subscriber(this.tally, this.wire.layout);
    connection.receiver = subscriber;
    this.subscribers.push(subscriber);
    if (filterOf(job, index) === addressedFilter(job)) this.#pacemaker = subscriber;
  }

  #keep(connection: Connection): Connection {
    this.#connections.push(connection);
    void connection.closed.then((error) => this.#fail(error.message));
    return connection;
  }

  #fail(reason: string): void {
    this.#failure ??= new Error(`The load was disturbed by ${reason}`);
  }
}

/** What a subscriber wants to see on a message; undefined for any message. */
const filterOf = ({ filters }: Pick<StageJob, 'filters'>, index: number): string | undefined =>
  filters === 0 ? undefined : `filter-${index % filters}`;

const addressedFilter = (job: StageJob): string | undefined => filterOf(job, 0);

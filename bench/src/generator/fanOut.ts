import { Buffer } from 'node:buffer';
import { setTimeout as wait } from 'node:timers/promises';
import { type Connection, FrameReader } from './connection.js';
import { type FanOutJob, type FanOutResult, type FilterJob, type StageJob, workFigures } from './jobs.js';
import { Subscriber, Tally } from './subscriber.js';
import type { Wire } from './wires/wire.js';
import { wireOf } from './wires/wireOf.js';
import { startCpuMeter } from '../measure/usage.js';
import type { Measurement } from '../measure/comparison.js';
import { pace } from './pace.js';

const joinsAtOnce = 50;
const lookEveryMs = 10;
const patienceMs = 3_000;

/** One publisher and its subscribers, connected and ready. */
class Stage {
  published = 0;
  readonly tally = new Tally();
  readonly subscribers: Subscriber[] = [];
  readonly frame: Buffer;
  readonly wire: Wire;
  /** Subscribers that each message is for. */
  readonly audience: number;
  private readonly connections: Connection[] = [];
  private chosenPacemaker: Subscriber | undefined;
  private publisher: Connection | undefined;
  private failure: Error | undefined;

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
        await Promise.all(Array.from({ length: count }, (_, index) => stage.seat(job, first + index)));
      }
      stage.publisher = stage.keep(await stage.wire.publisher(job.port));
      stage.publisher.receiver = new FrameReader((frame) => {
        if (!stage.wire.isAnswer?.(frame)) stage.fail(`a refusal: ${JSON.stringify(frame)}`);
      });
      return stage;
    } catch (error) {
      stage.close();
      throw error;
    }
  }

  /** The one whose deliveries drive the window: of those who get them the last to subscribe, who is served last. */
  get pacemaker(): Subscriber {
    if (this.chosenPacemaker === undefined) throw new Error('A stage needs subscribers');
    return this.chosenPacemaker;
  }

  get expected(): number {
    return this.published * this.audience;
  }

  publish(bytes: Buffer, messages: number): void {
    this.published += messages;
    this.publisher?.write(bytes);
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
    if (this.failure) throw this.failure;
    if (this.tally.unexpected > 0)
      throw new Error(`Subscribers got ${this.tally.unexpected} frames besides messages`);
  }

  close(): void {
    this.failure ??= new Error('The stage is closed');
    for (const connection of this.connections) connection.end();
  }

  private async seat(job: StageJob, index: number): Promise<void> {
    const { port, topic, meta } = job;
    const seat = { port, index, topic, meta, filter: filterOf(job, index) };
    const connection = this.keep(await this.wire.subscriber(seat));
    const subscriber = new Subscriber(this.tally, this.wire.layout);
    connection.receiver = subscriber;
    this.subscribers.push(subscriber);
    if (filterOf(job, index) === addressedFilter(job)) this.chosenPacemaker = subscriber;
  }

  private keep(connection: Connection): Connection {
    this.connections.push(connection);
    void connection.closed.then((error) => this.fail(error.message));
    return connection;
  }

  private fail(reason: string): void {
    this.failure ??= new Error(`The load was disturbed by ${reason}`);
  }
}

/** What a subscriber wants to see on a message; undefined for any message. */
const filterOf = ({ filters }: Pick<StageJob, 'filters'>, index: number): string | undefined =>
  filters === 0 ? undefined : `filter-${index % filters}`;

const addressedFilter = (job: StageJob): string | undefined => filterOf(job, 0);

/** One round of one peer: connects all subscribers, saturates the server, then loads it moderately. */
export const measureFanOut = async (job: FanOutJob): Promise<FanOutResult> => {
  const stage = await Stage.assemble(job);
  try {
    await probe(stage);
    const saturated = await measureSaturated(stage, job);
    const moderate = await measureModerate(stage, job);
    return { saturated, moderate };
  } finally {
    stage.close();
  }
};

/** One round with filters: as many publishes as the server takes, each to those that its value matches. */
export const measureFiltered = async (job: FilterJob): Promise<Measurement> => {
  const stage = await Stage.assemble(job);
  try {
    await probe(stage);
    const measured = await measureSaturated(stage, job);
    const publishesPerSecond = (measured['deliveriesPerSecond'] ?? Number.NaN) / stage.audience;
    return { ...measured, publishesPerSecond };
  } finally {
    stage.close();
  }
};

/** The first message shows that all clients are subscribed, and how long a delivery is. */
const probe = async (stage: Stage): Promise<void> => {
  stage.publish(stage.frame, 1);
  const missing = await stage.settle();
  if (missing > 0) throw new Error(`${missing} of ${stage.audience} subscribers get nothing`);
};

const measureSaturated = async (stage: Stage, job: StageJob): Promise<Measurement> => {
  const stop = keepInFlight(stage, job.window);
  await wait(job.warmUpSeconds * 1000);
  const meter = startCpuMeter(job.serverId);
  const before = stage.tally.delivered;
  await wait(job.seconds * 1000);
  const deliveries = stage.tally.delivered - before;
  const use = meter();
  stop();
  const lost = await stage.settle();
  return { ...workFigures(deliveries, use), lost };
};

/** Each message that arrives at the pacemaker is replaced by a new one. */
const keepInFlight = (stage: Stage, window: number): (() => void) => {
  const batch = Buffer.concat(Array.from({ length: window }, () => stage.frame));
  const { pacemaker } = stage;
  const refill = (): void => {
    const free = window - (stage.published - pacemaker.received);
    if (free > 0) stage.publish(batch.subarray(0, free * stage.frame.length), free);
  };
  pacemaker.afterChunk = refill;
  refill();
  return () => (pacemaker.afterChunk = undefined);
};

const measureModerate = async (stage: Stage, job: FanOutJob): Promise<Measurement> => {
  const { latencies } = stage.tally;
  const publish = (intended: number): void => stage.publish(stage.wire.stamped(stage.frame, intended), 1);
  stage.sample(true);
  await pace(job.publishesPerSecond, job.warmUpSeconds, publish);
  latencies.clear();
  stage.tally.sampleFrom = performance.now();
  const meter = startCpuMeter(job.serverId);
  const before = stage.tally.delivered;
  await pace(job.publishesPerSecond, job.seconds, publish);
  const deliveries = stage.tally.delivered - before;
  const use = meter();
  const lost = await stage.settle();
  stage.sample(false);
  const latency = { p50: latencies.percentile(50), p99: latencies.percentile(99) };
  return { ...latency, ...workFigures(deliveries, use), lost };
};

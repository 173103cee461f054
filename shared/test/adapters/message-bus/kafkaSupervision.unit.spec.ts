import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'chai';
import { createRecordingLogger, type RecordedLine } from '@roomwire/testing/fakes/loggers';
import { eventually } from '@roomwire/testing/run/eventually';
import { notes } from '@roomwire/testing/contracts/message-bus/busUnderTest';
import {
  type ConsumerContext,
  ConsumerWatch,
  SupervisedConsumer,
} from '../../../src/adapters/message-bus/kafka/supervisedConsumer.js';
import type { RecordBatch } from '../../../src/adapters/message-bus/kafka/kafkaClient.js';
import { createGroupConsumer } from '../../../src/adapters/message-bus/kafka/kafkajs/kafkajsClient.js';
import { reasonOf } from '../../../src/runtime/outage.js';
import { Reachability } from '../../../src/adapters/message-bus/kafka/reachability.js';
import { PartitionUnavailable, Renewable } from '../../../src/adapters/message-bus/kafka/renewableClient.js';
import { ChannelSource } from '../../../src/adapters/message-bus/kafka/channelSource.js';
import type { EndOffsets } from '../../../src/adapters/message-bus/kafka/topicCatalog.js';

type Listener = (event: { payload: unknown }) => void;
type EachBatch = (payload: unknown) => Promise<void>;

/** What the library's consumer is to its user, driven by the test. */
class FakeConsumer {
  readonly events = { GROUP_JOIN: 'join', REBALANCING: 'rebalancing', REQUEST: 'request', CRASH: 'crash' };
  readonly sought: unknown[] = [];
  readonly listeners = new Map<string, Listener>();
  readonly groupId: string;
  eachBatch: EachBatch | undefined;
  isDisconnected = false;

  constructor(groupId: string) {
    this.groupId = groupId;
  }
  connect = async () => {};
  subscribe = async () => {};
  run = async ({ eachBatch }: { readonly eachBatch: EachBatch }) => {
    this.eachBatch = eachBatch;
  };
  on = (name: string, listener: Listener) => this.listeners.set(name, listener);
  emit = (name: string, payload: unknown = {}) => this.listeners.get(name)?.({ payload });
  seek = (position: unknown) => void this.sought.push(position);
  disconnect = async () => {
    this.isDisconnected = true;
  };
  join = () => this.emit('join', { memberAssignment: { notes: [0, 1] }, memberId: this.groupId });
}

describe('SupervisedConsumer', () => {
  let made: FakeConsumer[];
  let cuts: number;
  let taken: RecordBatch[];
  let supervised: SupervisedConsumer;
  let isReachable: boolean;
  let lines: RecordedLine[];

  const client: ConsumerContext['client'] = () => {
    const consumer = ({ groupId }: { readonly groupId: string }) => {
      const fake = new FakeConsumer(groupId);
      made.push(fake);
      return fake as never;
    };
    return {
      consumer: (options) => createGroupConsumer({ consumer }, options),
      bytesRead: 7,
      cut: () => void (cuts += 1),
    };
  };
  const latest = async (count: number): Promise<FakeConsumer> => {
    await eventually(() => made.length === count && made.at(-1)?.eachBatch !== undefined);
    return made.at(-1) as FakeConsumer;
  };

  beforeEach(() => {
    made = [];
    taken = [];
    cuts = 0;
    const task = {
      topic: 'notes',
      groupId: () => `group ${made.length}`,
      fromBeginning: false,
      sessionTimeoutMs: 30_000,
      joined: (partitions: readonly number[]) => {
        for (const partition of partitions) supervised.seek(partition, 40 + partition);
      },
      leaving: () => undefined,
      left: () => undefined,
      take: (batch: RecordBatch) => {
        taken.push(batch);
        throw new TypeError('What stops the library');
      },
      positions: async () => new Map(),
      endOffsets: async () => [],
    };
    isReachable = true;
    const outcome = { answered: () => undefined, doubted: async () => isReachable };
    const recording = createRecordingLogger();
    ({ lines } = recording);
    supervised = new SupervisedConsumer(task, { client, outcome, logger: recording.logger });
  });
  afterEach(() => supervised.close());

  it('replaces a stopped consumer by a new one, which seeks to the same offsets', async () => {
    const started = supervised.start();
    (await latest(1)).join();
    await started;
    made[0]?.emit('crash', { error: new Error('For good') });
    const second = await latest(2);
    second.join();
    expect(second.groupId).to.equal('group 1');
    expect(second.sought).to.deep.equal([
      { topic: 'notes', partition: 0, offset: '40' },
      { topic: 'notes', partition: 1, offset: '41' },
    ]);
    expect([made[0]?.isDisconnected, cuts]).to.deep.equal([true, 1]);
    expect(supervised.bytesRead).to.equal(14);
  });

  it('warns of a replacement, unless the brokers are away', async () => {
    void supervised.start();
    for (const [count, answers] of [true, false].entries()) {
      isReachable = answers;
      const consumer = await latest(count + 1);
      consumer.join();
      consumer.emit('crash', { error: new Error('For good') });
      await eventually(() => lines.length === count + 1);
    }
    expect(lines.map(({ level, message }) => `${level} ${message}`)).to.deep.equal([
      'warn A Kafka consumer is replaced',
      'debug A Kafka consumer is replaced',
    ]);
  });

  it('hides failures of a batch from the library, and continues after it', async () => {
    void supervised.start();
    const consumer = await latest(1);
    const resolved: string[] = [];
    const payload = {
      batch: { topic: 'notes', lastOffset: () => '12' },
      isStale: () => false,
      resolveOffset: (offset: string) => resolved.push(offset),
    };
    await consumer.eachBatch?.(payload);
    expect([taken.length, resolved]).to.deep.equal([1, ['12']]);
  });

  it('ignores a replaced consumer, and records from before a seek', async () => {
    void supervised.start();
    const consumer = await latest(1);
    const payload = (isStale: boolean) => ({
      batch: { lastOffset: () => '1' },
      isStale: () => isStale,
      resolveOffset: () => expect.fail('It is to be fetched again'),
    });
    await consumer.eachBatch?.(payload(true));
    consumer.emit('crash', { error: new Error('For good') });
    await latest(2);
    await consumer.eachBatch?.(payload(false));
    expect(taken).to.deep.equal([]);
  });

  it('stops when it is closed', async () => {
    void supervised.start();
    await latest(1);
    await supervised.close();
    await pause(60);
    expect(made).to.have.lengthOf(1);
    expect(made[0]?.isDisconnected).to.equal(true);
  });
});

describe('ConsumerWatch', () => {
  const watched = (positions: Map<number, number>, ends: number[]) => {
    const given: string[] = [];
    const progress = { positions: async () => positions, endOffsets: async () => ends };
    const watch = new ConsumerWatch(progress, {
      doubted: () => undefined,
      givenUp: (why) => given.push(why),
    });
    return { watch, given };
  };

  it('replaces a consumer that stays before available records at two checks', async () => {
    const positions = new Map([[0, 5]]);
    const { watch, given } = watched(positions, [9]);
    await watch.checkProgress();
    positions.set(0, 7);
    await watch.checkProgress();
    expect(given).to.deep.equal([]);
    await watch.checkProgress();
    expect(given).to.have.lengthOf(1);
    watch.close();
  });

  it('keeps a consumer that has read everything, and one that has just received records', async () => {
    const ends = [5];
    const { watch, given } = watched(new Map([[0, 5]]), ends);
    await watch.checkProgress();
    ends[0] = 6;
    await watch.checkProgress();
    expect(given).to.deep.equal([]);
    watch.close();
  });
});

describe('Reachability', () => {
  const answers = async (): Promise<void> => undefined;
  const takesRecords = async (): Promise<boolean> => true;

  describe('where brokers answer', () => {
    let isTaken: boolean;
    let told: string[];
    let reachability: Reachability;
    const outage = {
      failed: (error: unknown) => void told.push(reasonOf(error)),
      over: () => void told.push('over'),
    };
    const refused = 'No partition takes records';

    beforeEach(async () => {
      isTaken = false;
      told = [];
      reachability = new Reachability({ answers, takesRecords: async () => isTaken }, outage);
    });
    afterEach(() => reachability.close());

    it('is lost when no partition takes records, whatever they answer, until one does', async () => {
      reachability.writesDoubted();
      await eventually(() => !reachability.isReachable);
      reachability.answered();
      expect(reachability.isReachable).to.equal(false);
      expect(told).to.deep.equal([refused]);
      isTaken = true;
      await eventually(() => reachability.isReachable);
      expect(told).to.deep.equal([refused, 'over']);
    });

    it('is back with the first record that a partition takes', async () => {
      reachability.writesDoubted();
      await eventually(() => !reachability.isReachable);
      reachability.written();
      expect(reachability.isReachable).to.equal(true);
      expect(told).to.deep.equal([refused, 'over']);
    });

    it('stays while a partition of any topic takes records', async () => {
      isTaken = true;
      reachability.writesDoubted();
      await pause(5);
      expect(reachability.isReachable).to.equal(true);
      expect(told).to.deep.equal([]);
    });
  });

  it('probes after a failure until there is an answer', async () => {
    let probes = 0;
    const answers = async (): Promise<void> => {
      probes += 1;
      if (probes < 2) throw new Error('Away');
    };
    const reachability = new Reachability({ answers, takesRecords });
    reachability.failed(new Error('Away'));
    expect(reachability.isReachable).to.equal(false);
    await eventually(() => reachability.isReachable);
    expect(probes).to.equal(2);
    reachability.close();
  });

  it('tells of the outage, with the reason, and of its end', async () => {
    const told: string[] = [];
    const outage = {
      failed: (error: unknown) => void told.push(reasonOf(error)),
      over: () => void told.push('over'),
    };
    const reachability = new Reachability({ answers, takesRecords }, outage);
    reachability.failed(new Error('Away'));
    await eventually(() => reachability.isReachable);
    expect(told).to.deep.equal(['Away', 'over']);
    reachability.close();
  });

  it('reports a suspected failure only when there is no answer', async () => {
    let isAway = false;
    const probe = async () => {
      if (isAway) throw new Error('Away');
    };
    const reachability = new Reachability({ answers: probe, takesRecords });
    void reachability.doubted();
    await pause(5);
    expect(reachability.isReachable).to.equal(true);
    isAway = true;
    void reachability.doubted();
    await eventually(() => !reachability.isReachable);
    reachability.close();
  });
});

describe('Renewable', () => {
  class Client {
    isConnected = false;
    connect = async () => {
      this.isConnected = true;
    };
    disconnect = async () => {
      this.isConnected = false;
    };
  }
  /** What the library has forgotten. */
  const never = <T>(): Promise<T> => new Promise<T>(() => undefined);
  const away = () => Promise.reject(new Error('Away'));
  let outcomes: string[];
  let made: Client[];
  const outcome = {
    answered: () => void outcomes.push('answered'),
    failed: () => void outcomes.push('failed'),
  };
  const create = (client = () => new Client(), longestUseMs?: number) => {
    const make = () => {
      made.push(client());
      return { client: made.at(-1) as Client, cut: () => undefined };
    };
    return new Renewable(make, outcome, longestUseMs);
  };

  beforeEach(() => {
    outcomes = [];
    made = [];
  });

  it('creates a new client after a failed use', async () => {
    const renewable = create();
    const first = await renewable.current();
    expect(await renewable.current()).to.equal(first);
    await renewable.use(away).catch(() => undefined);
    const second = await renewable.current();
    expect(second).not.to.equal(first);
    expect([first.isConnected, second.isConnected]).to.deep.equal([false, true]);
    await renewable.use(async () => undefined);
    expect(outcomes).to.deep.equal(['failed', 'answered']);
    await renewable.close();
    expect(second.isConnected).to.equal(false);
  });

  it('keeps a client when one partition is to blame', async () => {
    const renewable = create();
    const refused = Object.assign(new Error('No leader'), { type: 'NOT_LEADER_FOR_PARTITION' });
    for (const error of [
      refused,
      new Error('Retried', { cause: refused }),
      new PartitionUnavailable('notes', 1),
    ])
      expect(await renewable.use(() => Promise.reject(error)).catch((reason: unknown) => reason)).to.equal(
        error,
      );
    expect(outcomes).to.deep.equal(['answered', 'answered', 'answered']);
    expect(made).to.have.lengthOf(1);
    await renewable.close();
  });

  it('fails the other uses of a replaced client, which counts as one failure', async () => {
    const renewable = create();
    const forgotten = renewable.use(() => never()).catch(String);
    await renewable.use(away).catch(() => undefined);
    await renewable.use(async () => undefined);
    expect(await forgotten).to.equal('Error: The client was given up');
    expect(outcomes).to.deep.equal(['failed', 'answered']);
    expect(made, 'the second one is kept').to.have.lengthOf(2);
    await renewable.close();
  });

  it('replaces a client when a use takes too long', async () => {
    const renewable = create(undefined, 20);
    expect(await renewable.use(() => never()).catch(String)).to.equal('Error: It took too long');
    expect(await renewable.use(async () => 'an answer')).to.equal('an answer');
    expect(made).to.have.lengthOf(2);
    await renewable.close();
  });

  it('replaces a client that does not connect', async () => {
    const clients = [Object.assign(new Client(), { connect: () => never<void>() }), new Client()];
    const renewable = create(() => clients.shift() as Client, 20);
    expect(await renewable.current().catch(String)).to.equal('Error: It took too long');
    expect((await renewable.current()).isConnected).to.equal(true);
    expect(outcomes).to.deep.equal(['failed']);
    await renewable.close();
  });

  it('rejects pending calls when it is closed', async () => {
    const renewable = create();
    const forgotten = renewable.use(() => never()).catch(String);
    await renewable.current();
    await renewable.close();
    expect(await forgotten).to.equal('Error: The client was given up');
    expect(await renewable.current().catch(String)).to.match(/^EngineUnavailable/);
  });
});

describe('the lag of a channel on Kafka', () => {
  const ends = { now: [3, 0, 40] };
  /** Its consumer is not started, so that it stays where it begins. */
  const source = new ChannelSource(notes, {
    topic: notes.name,
    partitions: 3,
    groupPrefix: 'test.',
    sessionTimeoutMs: 1_000,
    ends: { fetch: async () => ends.now } as unknown as EndOffsets,
    context: {} as ConsumerContext,
    logger: undefined,
    unused: async () => undefined,
  });

  it('counts the records after the current offset, in the partitions that are read', async () => {
    expect(await source.lag()).to.equal(0);
    const reader = await source.read({ interest: 'all' }, () => undefined);
    expect(await source.lag()).to.equal(0);
    ends.now = [10, 2, 40];
    expect(await source.lag()).to.equal(9);
    // The partition was created again: nothing of it is behind.
    ends.now = [10, 2, 0];
    expect(await source.lag()).to.equal(9);
    await reader.close();
    expect(await source.lag()).to.equal(0);
  });
});

describe('the subscriptions of a reader of Kafka', () => {
  it('go on where an earlier one of the key, given up meanwhile, fails later', async () => {
    const fetches: { resolve(ends: readonly number[]): void; reject(error: Error): void }[] = [];
    const fetch = (): Promise<readonly number[]> =>
      new Promise((resolve, reject) => fetches.push({ resolve, reject }));
    const source = new ChannelSource(notes, {
      ...{ topic: notes.name, partitions: 1, groupPrefix: 'test.', sessionTimeoutMs: 1_000 },
      ends: { fetch } as unknown as EndOffsets,
      ...{ context: {} as ConsumerContext, logger: undefined, unused: async () => undefined },
    });
    const reader = await source.read({ interest: 'subscribed' }, () => undefined);
    const first = reader.subscribe('key').catch(String);
    reader.unsubscribe('key');
    const second = reader.subscribe('key');
    fetches[0]?.reject(new Error('away'));
    expect(await first).to.equal('Error: away');
    fetches[1]?.resolve([7]);
    await second;
    expect(reader.next('key')).to.equal(7);
    reader.unsubscribe('key');
    expect(reader.next('key')).to.equal(undefined);
  });
});

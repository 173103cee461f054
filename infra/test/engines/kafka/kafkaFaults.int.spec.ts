import { randomUUID } from 'node:crypto';
import { connect } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import {
  openKafkaMessageBus,
  type KafkaMessageBus,
  type KafkaMessageBusOptions,
} from '@roomwire/shared/adapters/message-bus/kafka/kafkaMessageBus';
import { eventually } from '@roomwire/testing/run/eventually';
import { expect } from 'chai';
import { withForeignAdmin } from '@roomwire/testing/engines/foreignKafka';
import { type KafkaEngine, startKafka } from '@roomwire/testing/engines/kafka';
import { kafkaProxy, type KafkaProxy } from './kafkaProxy.js';
import { KafkaTraffic, numberJobs, numbers } from './kafkaTraffic.js';

/** How long a sender waits before it is told that its record is not stored. */
const withinMs = 4_000;
/** And what it may take until it is told, on a machine that does other things as well. */
const refusedWithinMs = 8_000;
const sessionTimeoutMs = 6_000;
const frozenForMs = 8_000;
const lostAnswers = 50;

const listens = async (brokers: string): Promise<void> => {
  const answers = (): Promise<boolean> =>
    new Promise((resolve) => {
      const socket = connect(Number(brokers.split(':')[1]), '127.0.0.1', () => resolve(true));
      socket.once('error', () => resolve(false)).once('connect', () => socket.destroy());
    });
  await eventually(answers, { withinMs: 60_000, what: 'the port of the broker' });
};

describe('the bus on Kafka', function () {
  this.timeout(180_000);
  let engine: KafkaEngine;
  let proxy: KafkaProxy;
  let sender: KafkaMessageBus;
  let reader: KafkaMessageBus;
  let traffic: KafkaTraffic;
  let opened: KafkaMessageBus[];
  /** No test finds what another has left in a queue. */
  let topicPrefix: string;

  const open = async (options: Partial<KafkaMessageBusOptions> = {}): Promise<KafkaMessageBus> => {
    const brokers = [engine.brokers];
    const common = {
      brokers,
      clientId: 'roomwire-test',
      topics: [],
      topicPrefix,
      sessionTimeoutMs,
      withinMs,
    };
    const bus = await openKafkaMessageBus({ ...common, ...options });
    opened.push(bus);
    return bus;
  };
  /** Both workers are in the group: what is done while one of them comes in may be done again. */
  const workersHaveJoined = async (): Promise<void> => {
    const groupId = `roomwire.${topicPrefix}${numberJobs.name}`;
    await withForeignAdmin([engine.brokers], (admin) =>
      eventually(
        async () => {
          const { groups } = await admin.describeGroups([groupId]);
          return groups[0]?.state === 'Stable' && groups[0].members.length === 2;
        },
        { withinMs: 30_000, what: 'both workers to be in the group' },
      ),
    );
  };
  /** Sends, readings and work that began after this moment have succeeded. */
  const allGoOn = async (since: number): Promise<void> => {
    const { last } = traffic;
    await eventually(() => last.stored > since, { withinMs: 15_000, what: 'the first send' });
    expect(last.stored - since, 'until a record was stored').to.be.lessThan(5_000);
    await eventually(() => last.delivered > since, { withinMs: 10_000, what: 'the first delivery' });
    await eventually(() => last.done > since, { withinMs: 20_000, what: 'the first job' });
    await eventually(() => opened.every(({ reachable }) => reachable), { what: 'all to be within reach' });
  };

  before(async () => {
    engine = await startKafka();
    proxy = await kafkaProxy(engine.brokers);
  });
  beforeEach(async () => {
    opened = [];
    topicPrefix = `${randomUUID()}.`;
    sender = await open({ connect: proxy.connect });
    reader = await open();
    traffic = await KafkaTraffic.open({ sender, reader, workers: [reader, await open()] });
  });
  afterEach(async () => {
    await traffic.stop();
    await Promise.all(opened.map((bus) => bus.close()));
  });
  after(async () => {
    await proxy?.close();
    await engine?.close();
  });

  it('loses no acknowledged record when the broker is killed, and resumes within 5 s', async () => {
    traffic.keepGoing();
    await eventually(() => traffic.stored.length > 300 && traffic.done.length > 30, { withinMs: 20_000 });
    await engine.kill('SIGKILL');
    await eventually(() => traffic.refusedAfterMs.length > 0, { withinMs: 10_000 });
    expect(sender.reachable).to.equal(false);
    const restarted = engine.restart();
    await listens(engine.brokers);
    await allGoOn(performance.now());
    await restarted;
    await traffic.stop();
    await traffic.expectNothingLost();
    expect(Math.max(...traffic.refusedAfterMs), 'the longest wait').to.be.lessThan(refusedWithinMs);
  });

  it('fails in time when the broker is suspended, and resumes within 5 s after it continues', async () => {
    traffic.keepGoing();
    await eventually(() => traffic.stored.length > 300 && traffic.done.length > 30, { withinMs: 20_000 });
    engine.pause();
    await eventually(() => traffic.refusedAfterMs.length > 100, { withinMs: 10_000 });
    await eventually(() => opened.every(({ reachable }) => !reachable), { withinMs: 15_000 });
    // What is frozen is for longer than a session.
    await pause(frozenForMs);
    engine.resume();
    await allGoOn(performance.now());
    await traffic.stop();
    await traffic.expectNothingLost();
    expect(Math.max(...traffic.refusedAfterMs), 'the longest wait').to.be.lessThan(refusedWithinMs);
  });

  it('acknowledges no record that is not stored, and delivers none twice, when answers to sends are lost', async () => {
    await workersHaveJoined();
    const lostBefore = proxy.answersLost;
    for (let round = 1; round <= lostAnswers; round += 1) {
      proxy.loseNextAnswer();
      for (let n = 0; n < 3; n += 1) traffic.send();
      await eventually(() => proxy.answersLost - lostBefore === round);
      // These come while the first ones are sent again.
      for (let n = 0; n < 3; n += 1) traffic.send();
      await traffic.stop();
    }
    expect(traffic.refusedAfterMs).to.deep.equal([]);
    expect(traffic.stored).to.have.lengthOf(6 * lostAnswers);
    await traffic.expectNothingLost();
    const { records = 0 } = reader.statistics[numbers.name] ?? {};
    expect(records, 'with the second copies').to.be.greaterThan(traffic.stored.length);
    expect(traffic.done, 'no job twice').to.have.lengthOf(traffic.put.length);
  });

  it('reports that it cannot be opened while no broker answers', async () => {
    const options = { brokers: ['127.0.0.1:9'], clientId: 'roomwire-test', withinMs: 500 };
    const outcome = await openKafkaMessageBus(options).catch(String);
    expect(outcome).to.equal('EngineUnavailable: The message bus cannot be reached');
  });
});

import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import {
  openKafkaMessageBus,
  type KafkaMessageBus,
} from '@roomwire/shared/adapters/message-bus/kafka/kafkaMessageBus';
import { otherTopics } from '@roomwire/shared/wire/bus/busTopics';
import { expect } from 'chai';
import { withForeignAdmin } from '@roomwire/testing/engines/foreignKafka';
import {
  type ClusterBroker,
  type KafkaCluster,
  startKafkaCluster,
} from '@roomwire/testing/engines/kafka/cluster';
import { eventually } from '@roomwire/testing/run/eventually';
import { KafkaTraffic, keys, numberJobs, numbers } from './kafkaTraffic.js';

/** A broker that is gone is fenced after 3 s; then the others lead. The rest is for machines that do other things as well. */
const takenOverWithinMs = 60_000;
const goneForMs = 8_000;
const partitions = 6;

interface Partition {
  readonly partitionId: number;
  readonly leader: number;
  readonly replicas: readonly number[];
  readonly isr: readonly number[];
}

describe('the bus on three Kafka brokers', function () {
  this.timeout(240_000);
  let cluster: KafkaCluster;
  let topicPrefix: string;
  /** Those that may be asked. */
  let witnesses: readonly string[];
  let opened: KafkaMessageBus[];
  let traffic: KafkaTraffic;

  const open = async (): Promise<KafkaMessageBus> => {
    const bus = await openKafkaMessageBus({
      brokers: cluster.brokers.split(','),
      clientId: 'roomwire-test',
      topics: [],
      otherTopics: { ...otherTopics, partitions },
      topicPrefix,
      sessionTimeoutMs: 6_000,
    });
    opened.push(bus);
    return bus;
  };
  const openTraffic = async (): Promise<KafkaTraffic> => {
    const [sender, reader] = [await open(), await open()];
    return KafkaTraffic.open({ sender, reader, workers: [reader, await open()] });
  };
  const partitionsOf = async ({ name }: { readonly name: string }): Promise<readonly Partition[]> => {
    const topic = topicPrefix + name;
    const { topics } = await withForeignAdmin(witnesses, (admin) =>
      admin.fetchTopicMetadata({ topics: [topic] }),
    );
    return topics[0]?.partitions ?? [];
  };
  const leads = async (id: number): Promise<boolean> =>
    (await partitionsOf(numbers)).some(({ leader }) => leader === id);
  /** Every replica has all records, so that any broker may go. */
  const allAreInSync = (): Promise<void> =>
    eventually(
      async () =>
        [...(await partitionsOf(numbers)), ...(await partitionsOf(numberJobs))].every(
          ({ replicas, isr }) => isr.length === replicas.length,
        ),
      { withinMs: 60_000, what: 'all replicas to be in sync' },
    );
  const someTraffic = async (): Promise<void> => {
    const { stored, done } = traffic;
    const before = { stored: stored.length, done: done.length };
    await eventually(() => stored.length > before.stored + 300 && done.length > before.done + 30, {
      withinMs: 30_000,
      what: 'traffic',
    });
  };
  /** Records of every key that began after this moment are stored, delivered and done. */
  const allGoOn = async (since: number): Promise<void> => {
    const { last, stored } = traffic;
    const storedBefore = stored.length;
    await eventually(() => last.stored > since && last.delivered > since && last.done > since, {
      withinMs: takenOverWithinMs,
      what: 'records that are stored, delivered and done',
    });
    await eventually(() => new Set(stored.slice(storedBefore).map((number) => number % keys)).size === keys, {
      withinMs: takenOverWithinMs,
      what: 'records of every key',
    });
    await eventually(() => opened.every(({ reachable }) => reachable), { what: 'all to be within reach' });
    await someTraffic();
  };
  /** A broker that leads some of the records; it is back, with all that it missed, in the end. */
  const withoutALeader = async (
    goes: (broker: ClusterBroker) => Promise<void> | void,
    comesBack: (broker: ClusterBroker) => Promise<void> | void,
  ): Promise<void> => {
    await allAreInSync();
    traffic.keepGoing();
    await someTraffic();
    const { leader } = (await partitionsOf(numbers))[0] as Partition;
    const broker = cluster.members.find(({ id }) => id === leader) as ClusterBroker;
    witnesses = cluster.members.filter((member) => member !== broker).map(({ address }) => address);
    const from = performance.now();
    await goes(broker);
    await allGoOn(from);
    await eventually(async () => !(await leads(leader)), {
      withinMs: takenOverWithinMs,
      what: 'new leaders',
    });
    await pause(Math.max(0, goneForMs - (performance.now() - from)));
    const back = performance.now();
    await comesBack(broker);
    await allGoOn(back);
    await allAreInSync();
    await traffic.stop();
    await traffic.expectNothingLost();
  };

  before(async () => {
    cluster = await startKafkaCluster();
  });
  beforeEach(async () => {
    opened = [];
    witnesses = cluster.brokers.split(',');
    topicPrefix = `${randomUUID()}.`;
    traffic = await openTraffic();
  });
  afterEach(async () => {
    // As a test that failed may have left them.
    for (const member of cluster.members) {
      member.resume();
      member.reconnect();
    }
    await traffic?.stop();
    await Promise.all(opened.map((bus) => bus.close()));
  });
  after(() => cluster?.close());

  it('has three replicas of everything, of which two must have a record before it counts as stored', async () => {
    traffic.send();
    await traffic.stop();
    for (const channel of [numbers, numberJobs])
      for (const { replicas } of await partitionsOf(channel)) expect(replicas).to.have.lengthOf(3);
    expect(traffic.stored).to.deep.equal([0]);
  });

  it('goes on within seconds when a broker is killed, and loses nothing that was acknowledged', () =>
    withoutALeader(
      (broker) => broker.kill('SIGKILL'),
      (broker) => broker.start(),
    ));

  it('goes on within seconds when a broker is suspended, and loses nothing when that continues', () =>
    withoutALeader(
      (broker) => broker.pause(),
      (broker) => broker.resume(),
    ));

  it('loses nothing when a broker that clients reach is cut off from the others', () =>
    withoutALeader(
      (broker) => broker.isolate(),
      (broker) => broker.reconnect(),
    ));

  it('goes on while a broker is added and takes over partitions', async () => {
    traffic.keepGoing();
    await someTraffic();
    const { id } = await cluster.add();
    const moves = (await partitionsOf(numbers)).map(({ partitionId, replicas }) => ({
      partition: partitionId,
      replicas: [id, ...replicas.slice(1)],
    }));
    const topic = topicPrefix + numbers.name;
    await withForeignAdmin(witnesses, async (admin) => {
      await admin.alterPartitionReassignments({ topics: [{ topic, partitionAssignment: moves }] });
    });
    await eventually(
      async () =>
        (await partitionsOf(numbers)).every(
          ({ isr, replicas }) => isr.includes(id) && replicas.length === 3 && replicas[0] === id,
        ),
      { withinMs: 60_000, what: 'the new broker to have the records' },
    );
    // Kafka gives the lead to the first replica when the one that has it is gone.
    const old = cluster.members[0] as ClusterBroker;
    witnesses = cluster.members.filter((member) => member !== old).map(({ address }) => address);
    await old.kill('SIGKILL');
    await allGoOn(performance.now());
    await old.start();
    await allAreInSync();
    await traffic.stop();
    await traffic.expectNothingLost();
  });

  it('keeps order and records when partitions are added while every process is stopped', async () => {
    traffic.keepGoing();
    await someTraffic();
    await traffic.stop();
    await traffic.expectNothingLost();
    await Promise.all(opened.splice(0).map((bus) => bus.close()));
    await withForeignAdmin(witnesses, async (admin) => {
      const topicPartitions = [numbers, numberJobs].map(({ name }) => ({
        topic: topicPrefix + name,
        count: 2 * partitions,
      }));
      await admin.createPartitions({ topicPartitions });
    });
    traffic = await openTraffic();
    traffic.keepGoing();
    await someTraffic();
    await traffic.stop();
    await traffic.expectNothingLost();
    expect(await partitionsOf(numbers)).to.have.lengthOf(2 * partitions);
  });
});

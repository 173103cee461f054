import { Buffer } from 'node:buffer';
import { createRequire } from 'node:module';
import { expect } from 'chai';
import {
  patchKafkajs,
  type Cluster as WriterCluster,
} from '../../../../src/adapters/message-bus/kafka/kafkajs/kafkajsInternals.js';
import { createPartitionWriter } from '../../../../src/adapters/message-bus/kafka/kafkajs/kafkajsPartitions.js';
import type { KafkaAdmin } from '../../../../src/adapters/message-bus/kafka/kafkaClient.js';
import { EndOffsets } from '../../../../src/adapters/message-bus/kafka/topicCatalog.js';
import { Renewable } from '../../../../src/adapters/message-bus/kafka/renewableClient.js';

interface Partition {
  readonly partitionId: number;
  readonly partitionErrorCode: number;
  readonly leader: number;
}

interface Definition {
  readonly versions: readonly string[];
  protocol(options: { readonly version: string }): (request: object) => {
    readonly response: { parse(data: object): Promise<object> };
  };
}

interface Pool {
  metadata: object | null;
  metadataExpireAt: number;
}

interface Cluster {
  readonly brokerPool: Pool;
  fetchTopicsOffset(topics: readonly object[]): Promise<unknown>;
}

const require = createRequire(import.meta.url);
const { requests } = require('kafkajs/src/protocol/requests') as {
  requests: { Metadata: Definition; Produce: Definition };
};
const BrokerPool = require('kafkajs/src/cluster/brokerPool') as { readonly prototype: object };
const Cluster = require('kafkajs/src/cluster') as { readonly prototype: object };

const noLeader = 5;
const led = (partitionId: number, leader: number): Partition => ({
  partitionId,
  partitionErrorCode: 0,
  leader,
});
const leaderless = (partitionId: number): Partition => ({
  partitionId,
  partitionErrorCode: noLeader,
  leader: -1,
});
const metadataOf = (...partitionMetadata: readonly Partition[]) => ({
  brokers: [],
  topicMetadata: [{ topicErrorCode: 0, topic: 'notes', partitionMetadata }],
});
/** By every version of the request, which share a parser only by the library's choice. */
const parsedBy = (definition: Definition, answer: object): Promise<unknown>[] =>
  definition.versions.map((version) =>
    definition
      .protocol({ version })({ topics: [], topicData: [] })
      .response.parse(answer)
      .catch((error: unknown) => error),
  );

describe('the library, where a partition has no leader', () => {
  before(() => patchKafkajs());

  it('knows the others', async () => {
    const answer = metadataOf(led(0, 1), leaderless(1));
    for (const parsed of await Promise.all(parsedBy(requests.Metadata, answer)))
      expect(parsed).to.equal(answer);
  });

  it('still rejects a topic that is not there', async () => {
    const unknown = {
      brokers: [],
      topicMetadata: [{ topicErrorCode: 3, topic: 'notes', partitionMetadata: [] }],
    };
    for (const parsed of await Promise.all(parsedBy(requests.Metadata, unknown)))
      expect(parsed).to.include({ type: 'UNKNOWN_TOPIC_OR_PARTITION' });
  });

  it('tells with the error of a send what each partition has answered', async () => {
    const answer = { topics: [{ topicName: 'notes', partitions: [{ errorCode: 0 }, { errorCode: 19 }] }] };
    for (const parsed of await Promise.all(parsedBy(requests.Produce, answer))) {
      expect(parsed).to.include({ type: 'NOT_ENOUGH_REPLICAS' });
      expect(parsed).to.have.property('answer', answer);
    }
  });

  it('asks again soon', async () => {
    const expiresWith = async (metadata: object): Promise<number> => {
      const broker = { metadata: async () => metadata };
      const pool = Object.assign(Object.create(BrokerPool.prototype) as Pool, {
        metadataMaxAge: 300_000,
        brokers: {},
        seedBroker: { connectionPool: {} },
        retrier: (action: (bail: (error: Error) => void) => Promise<void>) =>
          action((error) => {
            throw error;
          }),
        findConnectedBroker: async () => broker,
        refreshMetadata: (BrokerPool.prototype as { refreshMetadata: unknown }).refreshMetadata as (
          topics: readonly string[],
        ) => Promise<void>,
      });
      await pool.refreshMetadata(['notes']);
      return pool.metadataExpireAt - Date.now();
    };
    expect(await expiresWith(metadataOf(led(0, 1), led(1, 2)))).to.be.above(200_000);
    expect(await expiresWith(metadataOf(led(0, 1), leaderless(1)))).to.be.below(1_000);
  });

  describe('asked for offsets', () => {
    let asked: unknown[];
    let refreshed: number;
    let answers: () => Promise<object>;
    const clusterOf = (metadata: object): Cluster =>
      Object.assign(Object.create(Cluster.prototype) as Cluster, {
        brokerPool: { metadata, metadataExpireAt: 0 },
        refreshMetadata: async () => void (refreshed += 1),
        findBroker: async ({ nodeId }: { readonly nodeId: string }) => {
          asked.push(nodeId);
          return { listOffsets: () => answers() };
        },
      });
    const all = { topic: 'notes', partitions: [{ partition: 0 }, { partition: 1 }] };

    beforeEach(() => {
      asked = [];
      refreshed = 0;
      answers = async () => ({
        responses: [{ topic: 'notes', partitions: [{ partition: 0, offset: '7' }] }],
      });
    });

    it('gives those of the others', async () => {
      const cluster = clusterOf(metadataOf(led(0, 1), leaderless(1)));
      const partitions = [{ partition: 0, offset: '7' }];
      expect(await cluster.fetchTopicsOffset([all])).to.deep.equal([{ topic: 'notes', partitions }]);
      expect(asked).to.deep.equal(['1']);
    });

    it('gives none when there are no others', async () => {
      const cluster = clusterOf(metadataOf(leaderless(0), leaderless(1)));
      expect(await cluster.fetchTopicsOffset([all])).to.deep.equal([{ topic: 'notes', partitions: [] }]);
      expect(asked).to.deep.equal([]);
    });

    it('looks for the leaders again when one does not answer', async () => {
      answers = () => Promise.reject(new Error('Not the leader'));
      const cluster = clusterOf(metadataOf(led(0, 1), led(1, 1)));
      expect(await cluster.fetchTopicsOffset([all]).catch(String)).to.equal('Error: Not the leader');
      expect(refreshed).to.equal(1);
    });
  });
});

describe('the end offsets of a topic', () => {
  it('lack those of partitions without a leader, which only those who need them wait for', async () => {
    let found = [{ partition: 1, high: 7 }];
    const admin = {
      connect: async () => undefined,
      disconnect: async () => undefined,
      fetchOffsets: async () => found,
    };
    const held = { client: admin as unknown as KafkaAdmin, cut: () => undefined };
    const outcome = { answered: () => undefined, failed: () => undefined };
    const ends = new EndOffsets(new Renewable(() => held, outcome), 'notes', 5_000);
    const needed = ends.fetch([0]);
    expect((await ends.fetch([1]))[1]).to.equal(7);
    expect((await ends.fetch())[0]).to.equal(undefined);
    found = [...found, { partition: 0, high: 3 }];
    expect((await needed)[0]).to.equal(3);
  });
});

describe('the writer to a leader', () => {
  const record = { key: Buffer.from('any'), value: Buffer.from('any') };
  const partitions = [0, 1].map((partition) => ({ partition, messages: [record] }));
  const writing = (produce: () => Promise<unknown>) => {
    const cluster = { addTargetTopic: async () => undefined, findBroker: async () => ({ produce }) };
    const writer = createPartitionWriter(cluster as unknown as WriterCluster, 1);
    return writer.write({ topic: 'notes', acks: -1, partitions });
  };

  it('tells where each partition has stored its records, or why it has refused them', async () => {
    const answer = {
      topics: [
        {
          partitions: [
            { partition: 0, errorCode: 0, baseOffset: '12' },
            { partition: 1, errorCode: 19, baseOffset: '-1' },
          ],
        },
      ],
    };
    const answers = await writing(() => Promise.reject(Object.assign(new Error('Refused'), { answer })));
    expect(answers.get(0)).to.equal(12);
    expect(answers.get(1)).to.include({ type: 'NOT_ENOUGH_REPLICAS' });
    const accepted = { topics: [{ partitions: [{ partition: 0, errorCode: 0, baseOffset: '13' }] }] };
    expect([...(await writing(async () => accepted))]).to.eql([[0, 13]]);
  });

  it('rejects without an answer', async () => {
    expect(await writing(() => Promise.reject(new Error('Away'))).catch(String)).to.equal('Error: Away');
  });
});

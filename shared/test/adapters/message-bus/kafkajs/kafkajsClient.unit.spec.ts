import { Buffer } from 'node:buffer';
import { createRequire } from 'node:module';
import type { Socket } from 'node:net';
import { Duplex } from 'node:stream';
import { expect } from 'chai';
import { eventually } from '@roomwire/testing/run/eventually';
import {
  createAdmin,
  createKafkaClient,
} from '../../../../src/adapters/message-bus/kafka/kafkajs/kafkajsClient.js';
import { patchKafkajs } from '../../../../src/adapters/message-bus/kafka/kafkajs/kafkajsInternals.js';

interface Connection {
  connect(): Promise<unknown>;
  disconnect(): Promise<unknown>;
  send(request: object): Promise<unknown>;
}

/** To a broker that is frozen: it takes connections and requests, and answers nothing. */
const frozen = (connected: () => void): Socket => {
  const stream = new Duplex({ read: () => undefined, write: (_bytes, _encoding, written) => written() });
  // As with a real socket: one that was destroyed meanwhile has never been connected.
  setImmediate(() => stream.destroyed || connected());
  const socket = { setNoDelay: () => stream, setKeepAlive: () => stream, unref: () => stream, bytesRead: 0 };
  return Object.assign(stream, socket) as unknown as Socket;
};

/** To a broker that answers ApiVersions: no error, no versions. */
const answering = (connected: () => void): Socket => {
  const socket = frozen(connected);
  socket.write = (request: Uint8Array | string) => {
    const correlationId = Buffer.from(request as Uint8Array).subarray(8, 12);
    const rest = Buffer.alloc(6);
    setImmediate(() => socket.push(Buffer.concat([Uint8Array.of(0, 0, 0, 10), correlationId, rest])));
    return true;
  };
  return socket;
};

const require = createRequire(import.meta.url);
const Connection = require('kafkajs/src/network/connection') as new (options: object) => Connection;
const { protocol } = (
  require('kafkajs/src/protocol/requests') as {
    requests: { ApiVersions: { protocol(options: object): () => object } };
  }
).requests.ApiVersions;
const quiet = { debug: () => undefined, error: () => undefined };

describe('a connection that reconnects', () => {
  it('discards the partial answer of the previous socket', async () => {
    patchKafkajs();
    const sockets: Socket[] = [];
    const connection = new Connection({
      logger: { namespace: () => quiet },
      socketFactory: ({ onConnect }: { readonly onConnect: () => void }) => {
        sockets.push(answering(onConnect));
        return sockets.at(-1);
      },
      host: 'broker',
      port: 1,
      connectionTimeout: 1_000,
      requestTimeout: 200,
      enforceRequestTimeout: true,
    });
    await connection.connect();
    sockets[0]?.push(Uint8Array.of(0, 0, 1, 0, 7));
    await eventually(() => sockets[0]?.readableLength === 0);
    await connection.disconnect();
    await connection.connect();
    expect(await connection.send(protocol({ version: 0 })())).to.include({ errorCode: 0 });
    await connection.disconnect();
  });
});

describe('a connection that is closing', () => {
  const options = {
    logger: { namespace: () => quiet },
    socketFactory: ({ onConnect }: { readonly onConnect: () => void }) => frozen(onConnect),
    host: 'broker',
    port: 1,
    connectionTimeout: 1_000,
    requestTimeout: 20,
    enforceRequestTimeout: true,
  };
  /** Begins to close it when the request has come so many steps far. */
  const closeDuringRequest = async (steps: number): Promise<string> => {
    const connection = new Connection(options);
    await connection.connect();
    const sent = connection.send(protocol({ version: 2 })()).catch(String);
    for (let step = 0; step < steps; step += 1) await Promise.resolve();
    await connection.disconnect();
    return (await sent) as string;
  };

  it('fails a request that arrives during the close, which would wait forever', async () => {
    patchKafkajs();
    const outcomes = await Promise.all(Array.from({ length: 20 }, (_, steps) => closeDuringRequest(steps)));
    const refused = 'KafkaJSConnectionError: Not connected';
    const sentBefore = 'KafkaJSRequestTimeoutError: Request ApiVersions(key: 18, version: 2) timed out';
    expect(new Set(outcomes)).to.deep.equal(new Set([refused, sentBefore]));
  });
});

describe('the queue of requests of a connection', () => {
  interface Queue {
    pending: unknown[];
    throttleCheckTimeoutId: NodeJS.Timeout | null;
    scheduleCheckPendingRequests(): void;
    destroy(): void;
  }
  const RequestQueue = require('kafkajs/src/network/requestQueue') as new (options: object) => Queue;
  const options = { logger: { debug: () => undefined }, requestTimeout: 1_000, enforceRequestTimeout: false };

  const looksAgain = (pending: readonly unknown[]): boolean => {
    const queue = new RequestQueue(options);
    queue.pending = [...pending];
    queue.scheduleCheckPendingRequests();
    const looks = queue.throttleCheckTimeoutId !== null;
    queue.destroy();
    return looks;
  };

  it('sleeps while a connection is idle, and checks a connection with pending requests', () => {
    patchKafkajs();
    expect([looksAgain([]), looksAgain(['a request'])]).to.deep.equal([false, true]);
  });
});

describe('a fetch of a group of consumers', () => {
  interface Group {
    maxWaitTime: number;
    fetch(nodeId: number): Promise<readonly unknown[]>;
  }
  const ConsumerGroup = require('kafkajs/src/consumer/consumerGroup') as { readonly prototype: Group };
  const none = (): void => undefined;

  /** A member with one partition, beside so many that are paused; `waits` is what it asks the broker for. */
  const member = (paused: readonly string[], waits: number[]): Group => {
    const broker = {
      fetch: async ({ maxWaitTime }: { readonly maxWaitTime: number }) => {
        waits.push(maxWaitTime);
        return { responses: [] };
      },
    };
    return Object.assign(Object.create(ConsumerGroup.prototype) as Group, {
      cluster: { refreshMetadataIfNecessary: none, findBroker: async () => broker },
      subscriptionState: {
        assigned: () => [{ topic: 'a', partitions: [0] }],
        paused: () => paused,
      },
      offsetManager: { committedOffsets: () => ({ a: { 0: '0' } }), nextOffset: () => '0' },
      getActiveTopicPartitions: () => ({ a: new Set([0]) }),
      filterPartitionsByNode: (_nodeId: number, assigned: readonly unknown[]) => assigned,
      checkForStaleAssignment: none,
      seekOffsets: none,
    });
  };

  it('waits longer for records while there is no partition that may be resumed', async () => {
    patchKafkajs();
    const waits: number[] = [];
    await member([], waits).fetch(1);
    await member(['b'], waits).fetch(1);
    expect(waits).to.deep.equal([200, 100]);
  });
});

describe('createKafkaClient', () => {
  it('fails pending requests of a client that is cut, and prevents new connections', async () => {
    const sockets: Socket[] = [];
    const connect = (_port: number, _host: string, connected: () => void): Socket => {
      sockets.push(frozen(connected));
      return sockets.at(-1) as Socket;
    };
    const connection = { brokers: ['broker:1'], clientId: 'test', logger: undefined, connect };
    const client = createKafkaClient(connection, { retries: 0 });
    const first = client.admin().connect().catch(String);
    await eventually(() => sockets.length === 1 && sockets[0]?.listenerCount('data') === 1);
    client.cut();
    expect(await first).to.contain('The connection was given up');
    expect(await client.admin().connect().catch(String)).to.contain('The connection was given up');
    expect(sockets.every(({ destroyed }) => destroyed)).to.equal(true);
  });
});

describe('createTopics', () => {
  const refused = (type: string) => Object.assign(new Error(type), { type });
  /** The library leaves out partitions without a leader. */
  const offsets = (count: number) =>
    Array.from({ length: count }, (_, partition) => ({ partition, offset: '0', high: '0', low: '0' }));
  const creating = (answers: (() => ReturnType<typeof offsets>)[]): Promise<void> => {
    const library = {
      createTopics: async () => true,
      fetchTopicOffsets: async () => {
        const answer = answers.shift();
        return answer?.() ?? expect.fail('It has looked again');
      },
    };
    const admin = createAdmin(library as unknown as Parameters<typeof createAdmin>[0]);
    return admin.createTopics([{ name: 'notes', partitions: 2, replicas: 1, config: {} }]);
  };

  it('resolves when all partitions can be written', async () => {
    const answers = [
      () => {
        throw refused('UNKNOWN_TOPIC_OR_PARTITION');
      },
      () => {
        throw new Error('Retried', { cause: refused('NOT_LEADER_FOR_PARTITION') });
      },
      () => offsets(1),
      () => offsets(2),
    ];
    await creating(answers);
    expect(answers).to.have.lengthOf(0);
  });

  it('rejects what is no matter of time', async () => {
    const answers = [
      () => {
        throw refused('TOPIC_AUTHORIZATION_FAILED');
      },
    ];
    expect(await creating(answers).catch(String)).to.equal('Error: TOPIC_AUTHORIZATION_FAILED');
  });
});

describe('the reader of partitions', () => {
  it('finds the parts of the library that it replaces', () => {
    const connection = { brokers: ['127.0.0.1:9'], clientId: 'roomwire-test', logger: undefined };
    const reader = createKafkaClient(connection).reader();
    expect(reader).to.respondTo('read');
  });
});

import { createRequire } from 'node:module';
import type { Socket } from 'node:net';
import { Duplex } from 'node:stream';
import { expect } from 'chai';
import { refuseOnClosingConnections } from '../../../src/adapters/message-bus/kafka/closingConnections.js';
import { createKafkaClient, noRetry } from '../../../src/adapters/message-bus/kafka/kafkaClient.js';
import { eventually } from '../../../src/testing/eventually.js';

interface Connection {
  connect(): Promise<unknown>;
  disconnect(): Promise<unknown>;
  send(request: object): Promise<unknown>;
}

/** To a broker that is frozen: it takes connections and requests, and answers nothing. */
const frozen = (connected: () => void): Socket => {
  const stream = new Duplex({ read: () => undefined, write: (_bytes, _encoding, written) => written() });
  setImmediate(connected);
  const socket = { setNoDelay: () => stream, setKeepAlive: () => stream, unref: () => stream, bytesRead: 0 };
  return Object.assign(stream, socket) as unknown as Socket;
};

describe('refuseOnClosingConnections', () => {
  const require = createRequire(import.meta.url);
  const Connection = require('kafkajs/src/network/connection') as new (options: object) => Connection;
  const { protocol } = (
    require('kafkajs/src/protocol/requests') as {
      requests: { ApiVersions: { protocol(options: object): () => object } };
    }
  ).requests.ApiVersions;
  const quiet = { debug: () => undefined, error: () => undefined };
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

  it('fails a request that comes to a connection while it is being closed, which would wait for ever', async () => {
    refuseOnClosingConnections();
    const outcomes = await Promise.all(Array.from({ length: 20 }, (_, steps) => closeDuringRequest(steps)));
    const refused = 'KafkaJSConnectionError: Not connected';
    const sentBefore = 'KafkaJSRequestTimeoutError: Request ApiVersions(key: 18, version: 2) timed out';
    expect(new Set(outcomes)).to.deep.equal(new Set([refused, sentBefore]));
  });
});

describe('createKafkaClient', () => {
  it('fails what waits on the connections of a client that is cut, and lets it make no more', async () => {
    const sockets: Socket[] = [];
    const connect = (_port: number, _host: string, connected: () => void): Socket => {
      sockets.push(frozen(connected));
      return sockets.at(-1) as Socket;
    };
    const connection = { brokers: ['broker:1'], clientId: 'test', logger: undefined, connect };
    const { kafka, cut } = createKafkaClient(connection, noRetry);
    const first = kafka.admin().connect().catch(String);
    await eventually(() => sockets.length === 1 && sockets[0]?.listenerCount('data') === 1);
    cut();
    expect(await first).to.contain('The connection was given up');
    expect(await kafka.admin().connect().catch(String)).to.contain('The connection was given up');
    expect(sockets.every(({ destroyed }) => destroyed)).to.equal(true);
  });
});

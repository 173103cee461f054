import { Buffer } from 'node:buffer';
import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

export interface KafkaProxy {
  /** For a client: connects to the proxy, whatever broker it wants. */
  readonly connect: (port: number, host: string, connected: () => void) => Socket;
  /** What is sent next is stored, and its sender never hears of it: instead of the answer, the connection ends. */
  loseNextAnswer(): void;
  readonly answersLost: number;
  close(): Promise<void>;
}

const produceRequest = 0;
const lengthBytes = 4;

/** Calls `each` with every message of the protocol, without its length; bytes are passed to it as they come. */
const messages = (each: (message: Buffer) => void): ((bytes: Buffer) => void) => {
  let rest = Buffer.alloc(0);
  return (bytes) => {
    rest = Buffer.concat([rest, bytes]);
    while (rest.length >= lengthBytes) {
      const end = lengthBytes + rest.readInt32BE(0);
      if (rest.length < end) return;
      each(rest.subarray(lengthBytes, end));
      rest = rest.subarray(end);
    }
  };
};

/** Stands between one client and a broker. */
export const kafkaProxy = async (broker: string): Promise<KafkaProxy> => {
  const [brokerHost = '', brokerPort = ''] = broker.split(':');
  const sockets = new Set<Socket>();
  let isToLose = false;
  let answersLost = 0;

  const keep = (socket: Socket): Socket => {
    sockets.add(socket);
    return socket.on('error', () => undefined).once('close', () => sockets.delete(socket));
  };
  const server = createServer((client) => {
    const broker = connect(Number(brokerPort), brokerHost);
    keep(client).once('close', () => broker.destroy());
    keep(broker).once('close', () => client.destroy());
    /** Of the request whose answer is dropped. */
    let correlation: number | undefined;
    const isAnswered = messages((answer) => {
      if (answer.readInt32BE(0) !== correlation) return;
      answersLost += 1;
      client.resetAndDestroy();
    });
    const look = messages((request) => {
      if (!isToLose || request.readInt16BE(0) !== produceRequest) return;
      isToLose = false;
      correlation = request.readInt32BE(4);
    });
    client.on('data', (bytes: Buffer) => {
      look(bytes);
      broker.write(bytes);
    });
    broker.on('data', (bytes: Buffer) => {
      isAnswered(bytes);
      if (!client.destroyed) client.write(bytes);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    connect: (_port, _host, connected) => connect(port, '127.0.0.1', connected),
    loseNextAnswer: () => {
      isToLose = true;
    },
    get answersLost() {
      return answersLost;
    },
    close: async () => {
      server.close();
      for (const socket of sockets) socket.destroy();
      await once(server, 'close');
    },
  };
};

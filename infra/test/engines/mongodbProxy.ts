import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { BSON, type Document } from 'mongodb';

export interface MongodbProxy {
  /** Of the same database, through the proxy. */
  readonly url: string;
  /** What has been asked for: the names of commands, by collection. */
  readonly commands: ReadonlyMap<string, ReadonlySet<string>>;
  close(): Promise<void>;
}

const headerBytes = 16;
const messageOpcode = 2013;
/** Behind the header come four bytes of flags and one that says that a document follows. */
const bodyAt = headerBytes + 5;

/** Passes everything on to a MongoDB, and notes which commands concern which collection. */
export const startMongodbProxy = async (url: string): Promise<MongodbProxy> => {
  const target = new URL(url);
  const commands = new Map<string, Set<string>>();
  const sockets = new Set<Socket>();

  const note = (body: Document): void => {
    const [command = ''] = Object.keys(body);
    const collection: unknown = command === 'getMore' ? body['collection'] : body[command];
    if (typeof collection !== 'string') return;
    const known = commands.get(collection) ?? new Set();
    commands.set(collection, known.add(command));
  };
  const noteAll = createMessageReader((message) => {
    if (message.readInt32LE(12) === messageOpcode)
      note(BSON.deserialize(message.subarray(bodyAt, bodyAt + message.readInt32LE(bodyAt))));
  });

  const server = createServer((client) => {
    const upstream = connect(Number(target.port), target.hostname);
    const read = noteAll();
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on('error', () => undefined);
      socket.once('close', () => {
        client.destroy();
        upstream.destroy();
        sockets.delete(socket);
      });
    }
    client.on('data', (chunk: Buffer) => {
      read(chunk);
      upstream.write(chunk);
    });
    upstream.pipe(client);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const proxied = new URL(url);
  proxied.host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url: proxied.href,
    commands,
    async close() {
      server.close();
      for (const socket of sockets) socket.destroy();
      await once(server, 'close');
    },
  };
};

/** One reader for each connection: messages come in pieces, and several at once. */
const createMessageReader = (take: (message: Buffer) => void) => () => {
  let rest = Buffer.alloc(0);
  return (chunk: Buffer): void => {
    rest = Buffer.concat([rest, chunk]);
    while (rest.length >= headerBytes && rest.length >= rest.readInt32LE(0)) {
      const length = rest.readInt32LE(0);
      take(rest.subarray(0, length));
      rest = rest.subarray(length);
    }
  };
};

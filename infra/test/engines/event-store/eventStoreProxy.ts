import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

export interface ConnectionHoldingProxy {
  readonly url: string;
  /** Open connections stop passing data silently; new ones are not affected. */
  holdConnections(): void;
  close(): Promise<void>;
}

/** Stands between a client and a server as a network does that loses packets for good. */
export const connectionHoldingProxy = async (esdbUrl: string): Promise<ConnectionHoldingProxy> => {
  const { port } = new URL(esdbUrl.replace('esdb:', 'http:'));
  const sockets = new Set<Socket>();
  const server = createServer((incoming) => {
    const outgoing = connect(Number(port), '127.0.0.1');
    for (const socket of [incoming, outgoing]) {
      sockets.add(socket);
      socket.on('error', () => undefined).once('close', () => sockets.delete(socket));
    }
    incoming.pipe(outgoing).pipe(incoming);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address() as AddressInfo;
  return {
    url: esdbUrl.replace(port, String(address.port)),
    holdConnections: () => {
      for (const socket of sockets) socket.unpipe().pause();
    },
    close: async () => {
      server.close();
      for (const socket of sockets) socket.destroy();
      await once(server, 'close');
    },
  };
};

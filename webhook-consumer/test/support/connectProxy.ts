import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';

/** What the proxy does on a CONNECT request. */
export type Tunnelling = (client: Duplex, target: string) => void;

/** Connects to loopback whatever the name is: the port says which endpoint. */
export const tunnel: Tunnelling = (client, target) => {
  const endpoint: Socket = connect(Number(target.slice(target.lastIndexOf(':') + 1)), '127.0.0.1', () => {
    client.write('HTTP/1.1 200 Connection established\r\n\r\n');
    client.pipe(endpoint).pipe(client);
  });
  endpoint.on('error', () => client.destroy());
  client.on('error', () => endpoint.destroy());
  client.on('close', () => endpoint.destroy());
};

export const refuse =
  (status: number): Tunnelling =>
  (client) =>
    client.end(`HTTP/1.1 ${status} No\r\ncontent-length: 0\r\n\r\n`);

/** Until the client goes. */
export const sayNothing: Tunnelling = (client) => void client.resume().on('end', () => client.destroy());

/** A real HTTP proxy, for CONNECT alone. */
export class ConnectProxy {
  readonly asked: { readonly target: string; readonly headers: IncomingHttpHeaders }[] = [];
  tunnelling: Tunnelling = tunnel;
  private readonly server = createServer((_request, response) => response.writeHead(400).end());
  private readonly sockets = new Set<Duplex>();

  private constructor() {
    this.server.on('connection', (socket) => this.sockets.add(socket));
    this.server.on('connect', ({ url = '', headers }, client: Duplex) => {
      client.on('error', () => undefined);
      this.asked.push({ target: url, headers });
      this.tunnelling(client, url);
    });
  }

  static async open(): Promise<ConnectProxy> {
    const proxy = new ConnectProxy();
    await once(proxy.server.listen(0, '127.0.0.1'), 'listening');
    return proxy;
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  get openConnections(): number {
    return [...this.sockets].filter((socket) => !socket.destroyed).length;
  }

  async close(): Promise<void> {
    for (const socket of this.sockets) socket.destroy();
    await new Promise((resolve) => this.server.close(resolve));
  }
}

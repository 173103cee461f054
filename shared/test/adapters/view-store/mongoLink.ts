import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

/** The way to a server, which a test can interrupt. */
export interface Link {
  /** The server's URL by this way. */
  readonly url: string;
  /** As if the server had been killed: every connection breaks and no new one comes about. */
  cut(): Promise<void>;
  mend(): Promise<void>;
  /** As if the server had been stopped: connections stay, and nothing comes through. What is sent arrives after `thaw`. */
  freeze(): void;
  /** Freezes after that many more bytes to the server; resolves then. */
  freezeAfter(bytes: number): Promise<void>;
  /** Freezes before the next bytes to the server that contain the text; resolves then. */
  freezeBefore(text: string): Promise<void>;
  thaw(): void;
  close(): Promise<void>;
}

/** A link to the first host that a MongoDB URL names. `onConnection` gets the client's end of each connection. */
export const linkTo = async (
  serverUrl: string,
  onConnection: (client: Socket) => void = () => undefined,
): Promise<Link> => {
  const target = new URL(serverUrl);
  const sockets = new Set<Socket>();
  let isFrozen = false;
  let bytesUntilFrozen = Infinity;
  let heldBack: string | undefined;
  let frozen: () => void = () => undefined;

  const freeze = (): void => {
    isFrozen = true;
    for (const socket of sockets) socket.pause();
  };
  const isHeldBack = (bytes: Buffer): boolean => {
    if (heldBack === undefined || !bytes.includes(heldBack)) return false;
    heldBack = undefined;
    freeze();
    return true;
  };
  const join = (from: Socket, to: Socket, passing: (bytes: number) => void): void => {
    sockets.add(from);
    if (isFrozen) from.pause();
    from.on('data', (bytes: Buffer) => {
      if (isHeldBack(bytes)) {
        from.unshift(bytes);
        return frozen();
      }
      to.write(bytes);
      passing(bytes.length);
    });
    from.on('error', () => to.destroy());
    from.on('close', () => {
      sockets.delete(from);
      to.destroy();
    });
  };
  const countDown = (bytes: number): void => {
    bytesUntilFrozen -= bytes;
    if (bytesUntilFrozen > 0) return;
    bytesUntilFrozen = Infinity;
    freeze();
    frozen();
  };
  const server = createServer((client) => {
    onConnection(client);
    const upstream = connect(Number(target.port || 27017), target.hostname);
    join(client, upstream, countDown);
    join(upstream, client, () => undefined);
  });
  const listen = async (port: number): Promise<void> => {
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
  };
  const cut = async (): Promise<void> => {
    const closed = server.listening ? once(server, 'close') : undefined;
    if (closed) server.close();
    for (const socket of sockets) socket.destroy();
    await closed;
  };
  await listen(0);
  const { port } = server.address() as AddressInfo;
  const url = new URL(serverUrl);
  url.host = `127.0.0.1:${port}`;
  url.searchParams.set('directConnection', 'true');
  return {
    url: url.href,
    cut,
    mend: () => listen(port),
    freeze,
    freezeAfter: (bytes) => {
      bytesUntilFrozen = bytes;
      return new Promise((resolve) => (frozen = resolve));
    },
    freezeBefore: (text) => {
      heldBack = text;
      return new Promise((resolve) => (frozen = resolve));
    },
    thaw: () => {
      isFrozen = false;
      for (const socket of sockets) socket.resume();
    },
    close: cut,
  };
};

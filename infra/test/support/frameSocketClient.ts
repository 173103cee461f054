import { once } from 'node:events';
import { decode, encode } from '@msgpack/msgpack';
import { WebSocket } from 'ws';

type Frame = Readonly<Record<string, unknown>>;

const patienceMs = 10_000;

/** A client of frames, for what the SDK does not show. Keeps every frame until it is asked for. */
export class FrameSocketClient {
  readonly #webSocket: WebSocket;
  readonly #frames: Frame[] = [];
  #wake: () => void = () => undefined;

  private constructor(webSocket: WebSocket) {
    this.#webSocket = webSocket;
    webSocket.on('error', () => undefined);
    webSocket.on('message', (data: Buffer) => {
      this.#frames.push(decode(data) as Frame);
      this.#wake();
    });
  }

  /** Authenticated. */
  static async join(url: string, token: string): Promise<FrameSocketClient> {
    const client = new FrameSocketClient(new WebSocket(url));
    await once(client.#webSocket, 'open');
    client.send({ type: 'auth', token, protocolVersion: 2 });
    const { success } = await client.next();
    if (success !== true) throw new Error('Not authenticated');
    return client;
  }

  send(frame: Frame): void {
    this.#webSocket.send(encode(frame));
  }

  async next(): Promise<Frame> {
    let late: NodeJS.Timeout | undefined;
    if (this.#frames.length === 0)
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
        late = setTimeout(resolve, patienceMs);
      });
    clearTimeout(late);
    const frame = this.#frames.shift();
    if (frame === undefined) throw new Error('No frame came');
    return frame;
  }

  close(): void {
    this.#webSocket.terminate();
  }
}

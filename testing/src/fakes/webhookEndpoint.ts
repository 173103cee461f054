import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

/** A call as the endpoint got it. */
export interface ReceivedCall {
  readonly method: string | undefined;
  readonly url: string | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  readonly json: unknown;
  /** Monotonic, milliseconds. */
  readonly at: number;
}

/** What the endpoint does with a call; `count` is how many have come, with this one. */
export type Reaction = (response: ServerResponse, call: ReceivedCall, count: number) => void;

/** The reactions of endpoints, good and bad. */
export const reactions = {
  answer:
    (status: number, body = '', headers: Readonly<Record<string, string>> = {}): Reaction =>
    (response) =>
      response.writeHead(status, headers).end(body),
  /** One after the other; the last one again and again. */
  inTurn:
    (...turns: readonly [Reaction, ...Reaction[]]): Reaction =>
    (response, call, count) =>
      (turns[Math.min(count, turns.length) - 1] as Reaction)(response, call, count),
  never: (() => undefined) satisfies Reaction,
  reset: ((response) => response.socket?.resetAndDestroy()) satisfies Reaction,
  /** Says that more will come, and ends the connection. */
  partly:
    (status: number, body: string): Reaction =>
    (response) => {
      response.writeHead(status, { 'content-length': body.length + 100 });
      response.write(body, () => response.socket?.destroy());
    },
  /** A body that continues as long as it is read. */
  endless:
    (status: number): Reaction =>
    (response) => {
      const chunk = Buffer.alloc(64 * 1024, 32);
      const more = (): void => {
        while (!response.destroyed && response.write(chunk));
      };
      response.writeHead(status).on('drain', more);
      more();
    },
};

/** A real HTTP server that stands for a customer's backend. */
export class WebhookEndpoint {
  readonly received: ReceivedCall[] = [];
  reaction: Reaction;
  connections = 0;
  private readonly server = createServer((request, response) => void this.take(request, response));

  private constructor(reaction: Reaction) {
    this.reaction = reaction;
    this.server.on('connection', () => (this.connections += 1));
  }

  /** On loopback, on a free port. */
  static async open(reaction: Reaction = reactions.answer(200)): Promise<WebhookEndpoint> {
    const endpoint = new WebhookEndpoint(reaction);
    await once(endpoint.server.listen(0, '127.0.0.1'), 'listening');
    return endpoint;
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}/hook`;
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private async take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await text(request).catch(() => undefined);
    if (body === undefined) return;
    const { method, url, headers } = request;
    const call = { method, url, headers, text: body, json: parsed(body), at: performance.now() };
    this.received.push(call);
    response.on('error', () => undefined);
    this.reaction(response, call, this.received.length);
  }
}

const parsed = (body: string): unknown => {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
};

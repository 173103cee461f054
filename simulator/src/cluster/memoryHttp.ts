import { Buffer } from 'node:buffer';
import { IncomingMessage, ServerResponse, type RequestListener } from 'node:http';
import { Socket } from 'node:net';

export interface HttpAnswer {
  readonly status: number;
  readonly body: unknown;
}

/** A response that is collected and written nowhere. */
class CollectedResponse extends ServerResponse {
  private readonly parts: Buffer[] = [];
  private readonly answered: (answer: HttpAnswer) => void;

  constructor(request: IncomingMessage, answered: (answer: HttpAnswer) => void) {
    super(request);
    this.answered = answered;
  }

  override write(chunk: string | Uint8Array): boolean {
    this.parts.push(Buffer.from(chunk as string));
    return true;
  }

  override writeHead(status: number): this {
    this.statusCode = status;
    return this;
  }

  override end(chunk?: unknown): this {
    if (typeof chunk === 'string' || chunk instanceof Uint8Array) this.write(chunk);
    const text = Buffer.concat(this.parts).toString();
    const body: unknown = text === '' ? undefined : JSON.parse(text);
    this.answered({ status: this.statusCode, body });
    return this;
  }
}

/** Calls a request handler without a network. */
export const requestInMemory = (
  listener: RequestListener,
  { method, path, token, body }: { method: string; path: string; token: string; body?: unknown },
  answered: (answer: HttpAnswer) => void,
): void => {
  const request = new IncomingMessage(new Socket());
  const bytes = body === undefined ? undefined : Buffer.from(JSON.stringify(body));
  Object.assign(request, { method, url: path });
  Object.assign(request.headers, { authorization: `Bearer ${token}` });
  if (bytes) {
    Object.assign(request.headers, {
      'content-type': 'application/json',
      'content-length': String(bytes.length),
    });
    request.push(bytes);
  }
  request.push(null);
  request.complete = true;
  listener(request, new CollectedResponse(request, answered));
};

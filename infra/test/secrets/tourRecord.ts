import { Buffer } from 'node:buffer';
import { once } from 'node:events';
import { WebSocket } from 'ws';
import { rawRequest } from '../support/apiClient.js';
import { createSecretLedger, type SecretLedger } from './secretLedger.js';

export interface Site {
  readonly baseUrl: string;
  readonly socketUrl: string;
}

/** What a service has said to the outside. */
export interface Said {
  readonly what: string;
  readonly bytes: Buffer;
  /** The name of the secret that it is meant to show. */
  readonly shows?: string;
}

export interface Sending {
  readonly credential?: string | undefined;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Everything that a run has shown, and everything that it was answered. */
export class TourRecord {
  readonly ledger: SecretLedger = createSecretLedger();
  readonly said: Said[] = [];
  readonly statuses = new Set<number>();
  private readonly site: () => Site;

  /** `site` is where the service runs at the moment. */
  constructor(site: () => Site) {
    this.site = site;
  }

  /** A request, whose answer is kept, and with it the secret that it shows. Paths are relative to `/v1`. */
  async send(method: string, path: string, { credential, body, headers = {} }: Sending = {}): Promise<any> {
    const response = await fetch(`${this.site().baseUrl}/v1${path}`, {
      method,
      headers: {
        ...(credential === undefined ? {} : { authorization: `Bearer ${credential}` }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    this.statuses.add(response.status);
    const answer = text.startsWith('{') || text.startsWith('[') ? JSON.parse(text) : undefined;
    const shown = answer?.apiKey ?? answer?.accessToken ?? answer?.signingKey ?? answer?.webhookSecret;
    const what = `${method} ${path} (${response.status})`;
    if (typeof shown === 'string') this.ledger.addToken(what, shown.replace(/^whsec_/, ''));
    const bytes = Buffer.from(`${JSON.stringify([...response.headers])}${text}`);
    this.said.push({ what, bytes, ...(typeof shown === 'string' ? { shows: what } : {}) });
    return answer;
  }

  /** Bytes that no HTTP client sends. */
  async sendRaw(what: string, ...lines: readonly string[]): Promise<void> {
    const { status, body, headers } = await rawRequest(this.site().baseUrl, [...lines, '', ''].join('\r\n'));
    this.statuses.add(status);
    const text = `${JSON.stringify([...headers])}${typeof body === 'string' ? body : JSON.stringify(body)}`;
    this.said.push({ what, bytes: Buffer.from(text) });
  }

  /** A connection on which each text is answered before the next is sent; resolves when all are. */
  async converse(what: string, texts: readonly unknown[], path = ''): Promise<void> {
    const socket = new WebSocket(`${this.site().socketUrl}${path}`, { perMessageDeflate: false });
    socket.on('error', () => undefined);
    await once(socket, 'open');
    for (const text of texts) {
      const replied = once(socket, 'message') as Promise<[Buffer]>;
      socket.send(typeof text === 'string' ? text : JSON.stringify(text));
      this.said.push({ what, bytes: (await replied)[0] });
    }
    socket.close();
    await once(socket, 'close');
  }
}

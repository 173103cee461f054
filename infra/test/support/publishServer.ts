import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { SentMessage } from './scriptedPublishApi.js';

/** `POST /v1/publish` over HTTP, which delivers a message of one address and id once, and loses answers when it is told to. */
export class PublishServer {
  private readonly server = createServer((request, response) => void this.answer(request, response));
  private readonly known = new Set<string>();
  /** Each once, in the order of their acceptance. */
  readonly delivered: SentMessage[] = [];
  duplicates = 0;
  requests = 0;
  /** Of a request, counted from 1: its messages are accepted, its answer is lost. */
  losesAnswer = (_request: number): boolean => false;
  /** Called with each request before its messages are accepted. */
  beforeAccepting: (request: number) => Promise<void> = () => Promise.resolve();

  static async open(): Promise<PublishServer> {
    const opened = new PublishServer();
    opened.server.listen(0, '127.0.0.1');
    await once(opened.server, 'listening');
    return opened;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const number = ++this.requests;
    let body = '';
    for await (const chunk of request) body += chunk;
    await this.beforeAccepting(number);
    const { messages } = JSON.parse(body) as { readonly messages: readonly SentMessage[] };
    const results = messages.map((message) => this.accept(message));
    if (this.losesAnswer(number)) return void response.destroy();
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ results }));
  }

  private accept(message: SentMessage): object {
    const { topic, id } = message;
    if (topic.startsWith('no/')) return { error: 'unknown_topic', code: 42940, hint: 'No such room' };
    const accepted = { id, at: '2026-01-31T12:00:00.000Z' };
    if (this.known.has(`${topic} ${id}`)) {
      this.duplicates += 1;
      return { ...accepted, duplicate: true };
    }
    this.known.add(`${topic} ${id}`);
    this.delivered.push(message);
    return accepted;
  }
}

import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import { createPublishApi, PublishRefused, type PublishApi } from '../../src/publishing/publishApi.js';

interface Asked {
  readonly path: string | undefined;
  readonly authorization: string | undefined;
  readonly body: unknown;
}

describe('createPublishApi', () => {
  let server: Server;
  let api: PublishApi;
  let asked: Asked[];
  let answer: (response: ServerResponse) => void;

  beforeEach(async () => {
    asked = [];
    server = createServer((request, response) => void read(request).then(() => answer(response)));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    api = createPublishApi({ url: `http://127.0.0.1:${port}/api`, credential: 'key' });
  });
  afterEach(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });

  const read = async (request: IncomingMessage): Promise<void> => {
    let body = '';
    for await (const chunk of request) body += chunk;
    const { authorization } = request.headers;
    asked.push({ path: request.url, authorization, body: JSON.parse(body) });
  };

  const answers = (status: number, body: unknown, headers: Readonly<Record<string, string>> = {}): void => {
    answer = (response) => response.writeHead(status, headers).end(JSON.stringify(body));
  };

  const refusal = async (): Promise<Error> => {
    try {
      await api.publish(['1']);
    } catch (error) {
      expect(error).to.be.instanceOf(PublishRefused);
      return error as Error;
    }
    throw new Error('It was not refused');
  };

  it('posts the messages in one body, with the key', async () => {
    const results = [{ id: 'a', at: '2026-01-31T12:00:00.000Z' }, { error: 'unknown_topic' }];
    answers(200, { results });
    expect(await api.publish(['{"n":1}', '{"n":2}'])).to.deep.equal({ is: 'answered', results });
    expect(asked).to.deep.equal([
      { path: '/api/v1/publish', authorization: 'Bearer key', body: { messages: [{ n: 1 }, { n: 2 }] } },
    ]);
  });

  it('says when to come back', async () => {
    answers(429, { message: 'Too many requests' }, { 'Retry-After': '3' });
    expect(await api.publish(['1'])).to.deep.equal({
      ...{ is: 'unsettled', why: 'Too many requests', afterMs: 3_000 },
    });
    answers(503, { message: 'Away' }, { 'Retry-After': new Date(0).toUTCString() });
    expect(await api.publish(['1'])).to.include({ afterMs: 0 });
    answers(500, {});
    expect(await api.publish(['1'])).to.deep.equal({
      ...{ is: 'unsettled', why: 'The API answered 500', afterMs: undefined },
    });
  });

  it('does not know what became of a request whose answer was lost', async () => {
    answer = (response) => response.destroy();
    expect(await api.publish(['1'])).to.include({ is: 'unsettled', afterMs: undefined });
  });

  for (const status of [400, 413])
    it(`takes ${status} for a request that was not accepted, and says why`, async () => {
      const errors = [{ path: 'messages.0.topic', value: 1, message: 'must be a text' }];
      answers(status, { message: 'Validation failed', errors });
      expect(await api.publish(['1'])).to.deep.equal({
        ...{ is: 'malformed', why: 'Validation failed: messages.0.topic: must be a text' },
      });
    });

  it('refuses what another attempt would not change', async () => {
    answers(401, { message: 'Invalid API key' });
    expect((await refusal()).message).to.equal('Invalid API key');
    answers(404, { message: 'Not Found' });
    expect((await refusal()).message).to.include('does this service publish over HTTP?');
    answers(200, { results: [] });
    expect((await refusal()).message).to.include('has not answered each message');
    answers(200, []);
    expect((await refusal()).message).to.include('has not answered each message');
  });
});

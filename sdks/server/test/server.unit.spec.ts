import { decode } from '@msgpack/msgpack';
import { expect } from 'chai';
import { createServer, PublishRefused, RequestFailed, type NewMessage } from '../src/index.js';
import { retryingFetch } from '../src/retryingFetch.js';

interface Sent {
  readonly url: string;
  readonly method: string;
  readonly authorization: string | null;
  readonly body: unknown;
}

/** Answers one after the other; an error is no answer. */
const scripted = (...answers: readonly (Response | Error)[]) => {
  const sent: Sent[] = [];
  const fetch = async (request: Request): Promise<Response> => {
    const bytes = new Uint8Array(await request.arrayBuffer());
    const { url, method, headers } = request;
    const body = bytes.length > 0 ? decode(bytes, { useBigInt64: true }) : undefined;
    sent.push({ url, method, authorization: headers.get('authorization'), body });
    const answer = answers[sent.length - 1];
    if (answer instanceof Response) return answer;
    throw answer ?? new Error('It was asked once too often');
  };
  return { sent, fetch };
};

const json = (body: object, status = 200, headers: Readonly<Record<string, string>> = {}): Response =>
  new Response(JSON.stringify(body), { status, headers });

const serverOf = (fetch: (request: Request) => Promise<Response>, retries = 0) =>
  createServer({ url: 'http://example.com/base/', apiKey: 'ak_live_1.s', retries, fetch });

const message: NewMessage = { topic: 'a/b/c', data: { count: 2n ** 60n, bytes: new Uint8Array([1]) } };

describe('a server of Roomwire', () => {
  it('publishes a message, with an id of its own, as MessagePack', async () => {
    const answer = { id: 'x', at: '2026-01-01T00:00:00.000Z' };
    const { sent, fetch } = scripted(json(answer), json(answer));
    expect(await serverOf(fetch).publish(message)).to.eql(answer);
    await serverOf(fetch).publish({ ...message, id: 'mine', retain: undefined as never });
    expect(sent[0]).to.include({
      ...{ url: 'http://example.com/base/v1/publish', method: 'POST', authorization: 'Bearer ak_live_1.s' },
    });
    const [first, second] = sent.map(({ body }) => body as NewMessage);
    expect(first?.data).to.eql(message.data);
    expect(first?.id).to.match(/^[0-9a-f-]{36}$/);
    expect(second).to.eql({ ...message, id: 'mine' });
  });

  it('publishes several, each with its own result', async () => {
    const results = [
      { id: 'a', at: 'now' },
      { error: 'unknown_topic', code: 42940 },
    ];
    const { sent, fetch } = scripted(json({ results }));
    expect(await serverOf(fetch).publish([message, message])).to.eql(results);
    const { messages } = sent[0]?.body as { readonly messages: readonly NewMessage[] };
    expect(new Set(messages.map(({ id }) => id)).size).to.equal(2);
  });

  it('publishes for later, at a time that is a date or a text', async () => {
    const scheduled = { id: 'x', scheduledId: 's', deliverAt: '2030-01-01T00:00:00.000Z' };
    const { sent, fetch } = scripted(json(scheduled), json({ results: [scheduled, { id: 'a', at: 'now' }] }));
    const deliverAt = new Date(scheduled.deliverAt);
    const { scheduledId } = await serverOf(fetch).publish({ ...message, deliverAt });
    expect(scheduledId).to.equal('s');
    const results = await serverOf(fetch).publish([{ ...message, deliverAt: scheduled.deliverAt }, message]);
    expect(results.map((result) => 'scheduledId' in result)).to.eql([true, false]);
    const [one, several] = sent.map(({ body }) => body as { deliverAt?: string; messages?: object[] });
    expect(one?.deliverAt).to.equal(scheduled.deliverAt);
    expect(several?.messages?.map((sentMessage) => 'deliverAt' in sentMessage)).to.eql([true, false]);
  });

  it('says that a service which does not know of later has published nothing', async () => {
    const errors = [{ path: 'deliverAt', message: 'is not a field' }];
    const { fetch } = scripted(json({ message: 'Validation failed', errors }, 400));
    const failed = await serverOf(fetch)
      .publish({ ...message, deliverAt: new Date() })
      .catch((error: unknown) => error);
    expect(failed).to.be.instanceOf(RequestFailed);
    expect(failed).to.include({ status: 400, message: 'Validation failed: deliverAt is not a field' });
  });

  it('takes the address of the service or of its gateway', async () => {
    const addresses = {
      'http://example.com': 'http://example.com/v1',
      'https://example.com/base/v1': 'https://example.com/base/v1',
      'ws://example.com:8080/ws': 'http://example.com:8080/v1',
      'wss://example.com/base/ws/': 'https://example.com/base/v1',
    };
    for (const [url, api] of Object.entries(addresses)) {
      const { sent, fetch } = scripted(json({ id: 'x', at: 'now' }));
      await createServer({ url, apiKey: 'ak_live_1.s', fetch }).publish(message);
      expect(sent[0]?.url).to.equal(`${api}/publish`);
    }
  });

  it('says which setting is missing', () => {
    expect(() => createServer({ url: undefined, apiKey: 'ak_live_1.s' })).to.throw(
      TypeError,
      'url must be the address of the service, like https://roomwire.example.com or http://127.0.0.1:8080; it is not given',
    );
    expect(() => createServer({ url: 'localhost:8080', apiKey: 'ak_live_1.s' })).to.throw('"localhost:8080"');
    expect(() => createServer({ url: 'http://example.com', apiKey: undefined })).to.throw(
      TypeError,
      'apiKey',
    );
  });

  it('says why a message was refused, or the request', async () => {
    const refused = { error: 'message_too_large', code: 42930, maxSizeBytes: 921_600 };
    const invalid = { message: 'Validation failed', errors: [{ path: 'topic', message: 'must be string' }] };
    const { fetch } = scripted(json(refused, 413), json(invalid, 400), new Error('no route'));
    const failure = (): Promise<unknown> =>
      serverOf(fetch)
        .publish(message)
        .catch((error: unknown) => error);
    const first = await failure();
    expect(first)
      .to.be.instanceOf(PublishRefused)
      .and.include({ ...refused, status: 413 });
    const second = (await failure()) as RequestFailed;
    expect([second.name, second.message, second.status]).to.eql([
      ...['RequestFailed', 'Validation failed: topic must be string', 400],
    ]);
    expect(await failure())
      .to.be.instanceOf(RequestFailed)
      .and.include({ status: undefined });
  });

  it('does not take for published what something else has answered, or what broke off', async () => {
    const html = { 'content-type': 'text/html' };
    const page = new Response('<!doctype html>', { headers: html });
    const brokenOff = new Response('{"results":[{"id":"a"');
    const { fetch } = scripted(
      page,
      brokenOff,
      json({ message: 'no' }, 404),
      new Response('', { status: 500 }),
    );
    const failure = (given: NewMessage | readonly NewMessage[]): Promise<unknown> =>
      serverOf(fetch)
        .publish(given as NewMessage)
        .catch((error: unknown) => error);
    for (const given of [message, [message]])
      expect(await failure(given))
        .to.be.instanceOf(RequestFailed)
        .and.include({ status: undefined, message: 'The API answered 200 without a result' });
    expect(await failure(message)).to.include({ status: 404, message: 'no' });
    expect(await failure(message)).to.include({ status: 500, message: 'The API answered 500' });
  });

  it('has the whole REST API, with its types', async () => {
    const { sent, fetch } = scripted(json({ appId: 'x' }), json({ message: 'no' }, 404));
    const { rest } = serverOf(fetch);
    const appId = '0c1d6a4e-8a8e-4d0e-9f0c-000000000001';
    const { data } = await rest.GET('/apps/{appId}', { params: { path: { appId } } });
    expect(data?.appId).to.equal('x');
    const { error, response } = await rest.DELETE('/apps/{appId}', { params: { path: { appId } } });
    expect([error, response.status]).to.eql([{ message: 'no' }, 404]);
    expect(sent.map(({ url }) => url)).to.eql(Array(2).fill(`http://example.com/base/v1/apps/${appId}`));
  });

  it('has lists as lists', async () => {
    const { fetch } = scripted(json({ data: [{ roomId: 'r', slug: 'hall', present: 2, subscribers: 3 }] }));
    const path = { appId: '0c1d6a4e-8a8e-4d0e-9f0c-000000000001' };
    const query = { rooms: ['hall'] };
    const { data } = await serverOf(fetch).rest.GET('/apps/{appId}/occupancy', { params: { path, query } });
    expect(data?.data.map(({ slug, present }) => [slug, present])).to.eql([['hall', 2]]);
  });
});

describe('a request that may be sent again', () => {
  let chance: number;
  beforeEach(() => (chance = 0));

  const run = async (retries: number, ...answers: readonly (Response | Error)[]) => {
    const { sent, fetch } = scripted(...answers);
    const pauses: number[] = [];
    const pause = async (ms: number): Promise<void> => void pauses.push(ms);
    const again = retryingFetch(fetch, { retries, timeoutMs: 60_000, pause, random: () => chance });
    const request = new Request('http://example.com/x', { method: 'POST', body: Buffer.from([0x01]) });
    const answer = await again(request).catch((error: unknown) => error as Error);
    return { pauses, answer, bodies: sent.map(({ body }) => body) };
  };

  it('is, whole, after no answer and while the service is away', async () => {
    const { pauses, answer, bodies } = await run(
      3,
      new Error('reset'),
      json({}, 503),
      json({}, 502),
      json({}),
    );
    expect([(answer as Response).status, bodies, pauses]).to.eql([200, [1, 1, 1, 1], [250, 500, 1000]]);
  });

  it('is as soon as the service says, unless that is too late', async () => {
    const soon = await run(1, json({}, 429, { 'retry-after': '2' }), json({}));
    expect([(soon.answer as Response).status, soon.pauses]).to.eql([200, [2_000]]);
    const late = await run(1, json({}, 429, { 'retry-after': '86400' }));
    expect([(late.answer as Response).status, late.pauses]).to.eql([429, []]);
  });

  it('is at a time by chance, so that many do not come back at once, and never before the service allows', async () => {
    chance = 0.5;
    const { pauses } = await run(3, new Error('reset'), json({}, 503), json({}, 502), json({}));
    expect(pauses).to.eql([187.5, 375, 750]);
    expect((await run(1, json({}, 503, { 'retry-after': '2' }), json({}))).pauses).to.eql([2_125]);
  });

  it('is not where that would not help, nor more often than it was told', async () => {
    for (const status of [200, 400, 401, 404, 409, 413, 500])
      expect((await run(3, json({}, status))).pauses, String(status)).to.eql([]);
    const { answer, pauses } = await run(2, ...Array.from({ length: 3 }, () => new Error('reset')));
    expect([(answer as Error).message, pauses]).to.eql(['http://example.com: reset', [250, 500]]);
  });
});

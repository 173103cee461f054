import { expect } from 'chai';
import { EngineUnavailable } from '@roomwire/shared/ports/errors';
import type { PublishResult } from '@roomwire/shared/ports/publishing';
import { protocolErrors, type ProtocolErrorName } from '@roomwire/shared/wire/protocol/protocolErrors';
import { acceptedAt, packed, PublishingApi } from '../support/publishingApi.js';

const topic = 'plant/hall/temperature';
const at = new Date(acceptedAt).toISOString();

/** Of each, the answer to a single message. */
const answered: Partial<Record<ProtocolErrorName, { readonly status: number; readonly code?: number }>> = {
  unknownTopic: { status: 404, code: 42940 },
  unknownActor: { status: 404, code: 42940 },
  unknownScope: { status: 404, code: 42940 },
  messageTooLarge: { status: 413, code: 42930 },
  rateLimited: { status: 429, code: 42910 },
  quotaExceeded: { status: 429, code: 42920 },
  invalidFilterChars: { status: 400 },
  tooManyFilters: { status: 400 },
  publishConflict: { status: 409, code: 42960 },
};

/** As JSON has them. */
const fieldsOf = (name: ProtocolErrorName): object => {
  const { error, code, hint, maxSizeBytes }: Record<string, unknown> = { ...protocolErrors[name] };
  return JSON.parse(JSON.stringify({ error, code, hint, maxSizeBytes })) as object;
};

describe('a publish over HTTP', () => {
  let api: PublishingApi;

  beforeEach(async () => void (api = await PublishingApi.open()));
  afterEach(() => api.close());

  it('[HTTP-PUB-1] of one message is handed to the publisher, and answered when it is accepted', async () => {
    const message = {
      ...{ topic, data: { celsius: 93 }, as: 'at_1', filter: 'alarm', filters: ['oven'], retain: true },
      ...{ qos: 2, id: 'Reading_1.a:b-c', trigger: false },
    };
    const { status, headers, body } = await api.post(message);
    expect([status, body]).to.eql([200, { id: message.id, at }]);
    expect(headers.get('content-type')).to.equal('application/json; charset=utf-8');
    expect(api.calls).to.eql([
      {
        of: { organizationId: 'o1', projectId: 'p1' },
        messages: [
          {
            ...message,
            ...{ data: new Uint8Array(packed(message.data)), scope: undefined, deliverAt: undefined },
          },
        ],
      },
    ]);
  });

  it('[HTTP-PUB-3] has the defaults of the socket; null is as good as a missing field', async () => {
    const defaults = {
      ...{
        topic,
        data: Uint8Array.of(0xc0),
        scope: undefined,
        as: undefined,
        filter: undefined,
        filters: [],
      },
      ...{ retain: false, qos: 1, id: undefined, trigger: undefined, deliverAt: undefined },
    };
    expect((await api.post({ topic, data: null })).body).to.eql({ id: 'made-0', at });
    expect(api.published).to.eql([defaults]);
    const nothing = { scope: null, as: null, filter: null, filters: null, retain: null, qos: null, id: null };
    await api.post({ topic, data: null, base64: null, trigger: null, ...nothing });
    expect(api.published).to.eql([defaults]);
    await api.post({ topic, data: null, deliverAt: null });
    expect(api.published).to.eql([defaults]);
    await api.post({ topic, data: null, scope: 'tenant-a', trigger: true, qos: 0 });
    expect(api.published).to.eql([{ ...defaults, scope: 'tenant-a', trigger: true, qos: 0 }]);
  });

  it('[HTTP-LATER-1] for later is handed on with its time, and answered with its id and time', async () => {
    const scheduled = { scheduledId: 's', deliverAt: Date.UTC(2026, 1, 1) };
    api.outcome = () => ({ id: 's', at: acceptedAt, isDuplicate: false, scheduled });
    const deliverAt = new Date(acceptedAt + 1_000).toISOString();
    const { body } = await api.post({ topic, data: 1, deliverAt });
    expect(body).to.eql({ id: 's', scheduledId: 's', deliverAt: '2026-02-01T00:00:00.000Z' });
    expect(api.published[0]?.deliverAt).to.equal(acceptedAt + 1_000);
  });

  it('[HTTP-PUB-6] is answered with duplicate only where it is one', async () => {
    api.outcome = () => ({ id: 'a', at: acceptedAt, isDuplicate: true });
    expect((await api.post({ topic, data: 1, id: 'a' })).body).to.eql({ id: 'a', at, duplicate: true });
  });

  for (const [name, { status, code }] of Object.entries(answered))
    it(`[HTTP-PUB-7] of one message is answered ${status} where it is ${name}`, async () => {
      const error = name as ProtocolErrorName;
      api.outcome = () => ({ error });
      const answer = await api.post({ topic, data: 1 });
      expect([answer.status, answer.body]).to.eql([status, fieldsOf(error)]);
      expect(answer.body.code).to.equal(code);
      expect(answer.headers.has('retry-after')).to.equal(status === 429);
      const batch = await api.post({ messages: [{ topic, data: 1 }] });
      expect([batch.status, batch.body]).to.eql([200, { results: [fieldsOf(error)] }]);
      expect(batch.headers.has('retry-after')).to.equal(false);
    });

  it('[HTTP-PUB-7] beyond the quota says how long the month lasts, in UTC', async () => {
    api.outcome = () => ({ error: 'quotaExceeded' });
    expect((await api.post({ topic, data: 1 })).headers.get('retry-after')).to.equal(`${14.5 * 3_600}`);
    api.clock.set(Date.UTC(2026, 11, 31, 23, 59, 59, 500));
    expect((await api.post({ topic, data: 1 })).headers.get('retry-after')).to.equal('1');
  });

  it('[HTTP-PUB-7] that fails in an unforeseen way is a failure of the service', async () => {
    api.outcome = () => ({ error: 'notSubscribed' });
    expect((await api.post({ topic, data: 1 })).status).to.equal(500);
  });

  it('[HTTP-PUB-5] of up to 100 messages is one call, in their order, whatever rooms they are for', async () => {
    const messages = Array.from({ length: 100 }, (_, n) => ({ topic: `plant/room-${n % 2}/t`, data: n }));
    const { status, body } = await api.post({ messages });
    expect([status, body]).to.eql([200, { results: messages.map((_, n) => ({ id: `made-${n}`, at })) }]);
    expect(api.calls).to.have.length(1);
    expect(api.published.map((one) => [one.topic, one.data[0]])).to.eql(
      messages.map((one) => [one.topic, one.data]),
    );
  });

  it('[HTTP-PUB-6] of a batch has the results in the order of its messages', async () => {
    const results: PublishResult[] = [
      { id: 'a', at: acceptedAt, isDuplicate: false },
      { error: 'unknownTopic' },
      { id: 'b', at: acceptedAt + 1, isDuplicate: true },
      { error: 'quotaExceeded' },
      { error: 'quotaExceeded' },
    ];
    api.outcome = (_message, n) => results[n] as PublishResult;
    const { status, body } = await api.post({ messages: results.map((_, n) => ({ topic, data: n })) });
    expect(status).to.equal(200);
    expect(body.results).to.eql([
      { id: 'a', at },
      fieldsOf('unknownTopic'),
      { id: 'b', at: new Date(acceptedAt + 1).toISOString(), duplicate: true },
      fieldsOf('quotaExceeded'),
      fieldsOf('quotaExceeded'),
    ]);
  });

  describe('[HTTP-PUB-9] with too much data', () => {
    const largest = 'x'.repeat(921_600 - 5);
    const tooLarge = fieldsOf('messageTooLarge');

    it('is refused, one byte beyond the limit', async () => {
      expect((await api.post({ topic, data: largest })).status).to.equal(200);
      expect(api.published[0]?.data).to.have.length(921_600);
      const { status, body } = await api.post({ topic, data: `${largest}x` });
      expect([status, body]).to.eql([413, tooLarge]);
      expect(body.maxSizeBytes).to.equal(921_600);
      expect(api.calls).to.have.length(1);
    });

    it('is a result in a batch, and the others are sent', async () => {
      const messages = [1, `${largest}x`, 2].map((data) => ({ topic, data }));
      expect((await api.post({ messages })).body.results).to.eql([
        { id: 'made-0', at },
        tooLarge,
        { id: 'made-1', at },
      ]);
      expect(api.published.map(({ data }) => data[0])).to.eql([1, 2]);
    });

    it('is beyond the quota behind a message that is', async () => {
      api.outcome = () => ({ error: 'quotaExceeded' });
      const { results } = (
        await api.post({
          messages: [
            { topic, data: 1 },
            { topic, data: `${largest}x` },
          ],
        })
      ).body;
      expect(results).to.eql([fieldsOf('quotaExceeded'), fieldsOf('quotaExceeded')]);
    });
  });

  describe('[HTTP-PUB-10] while the bus is away', () => {
    const unavailable = 'The service is temporarily unavailable, please try again';

    it('is answered 503 where nothing was accepted', async () => {
      api.outcome = () => ({ error: 'brokerUnavailable' });
      for (const body of [
        { topic, data: 1 },
        {
          messages: [
            { topic, data: 1 },
            { topic, data: 2 },
          ],
        },
      ]) {
        const answer = await api.post(body);
        expect([answer.status, answer.body.message]).to.eql([503, unavailable]);
        expect(answer.body).to.have.all.keys('id', 'message', 'timestamp');
      }
      api.outcome = (_message, n) => ({ error: n === 0 ? 'unknownTopic' : 'brokerUnavailable' });
      const mixed = await api.post({
        messages: [
          { topic, data: 1 },
          { topic, data: 2 },
        ],
      });
      expect([mixed.status, mixed.body.message]).to.eql([503, unavailable]);
    });

    it('has a result for the rest of a batch where it goes away in between', async () => {
      const accepted = api.outcome;
      api.outcome = (message, n) => (n === 0 ? accepted(message, n) : { error: 'brokerUnavailable' });
      const { status, body } = await api.post({
        messages: [
          { topic, data: 1 },
          { topic, data: 2 },
        ],
      });
      expect([status, body]).to.eql([
        200,
        { results: [{ id: 'made-0', at }, { error: 'broker_unavailable' }] },
      ]);
    });

    it('is answered 503 where the publisher cannot reach what it decides by', async () => {
      api.publishing = { publish: () => Promise.reject(new EngineUnavailable('read models')) };
      const { status, body } = await api.post({ topic, data: 1 });
      expect([status, body.message]).to.eql([503, unavailable]);
    });

    it('is answered 503 in a process that cannot publish', async () => {
      api.publishing = undefined;
      const { status, body } = await api.post({ topic, data: 1 });
      expect([status, body.message]).to.eql([503, unavailable]);
      expect((await api.post({ topic })).status).to.equal(400);
    });
  });
});

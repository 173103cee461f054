import { expect } from 'chai';
import { PublishingApi } from '../support/publishingApi.js';

const message = { topic: 'a/b/c', data: 1 };
const batchOf = (count: number) => ({ messages: Array.from({ length: count }, () => message) });
const beyond = { error: 'rate_limit_exceeded', code: 42910 };

describe('[HTTP-PUB-8] the rate of messages over HTTP', () => {
  let api: PublishingApi;
  let key: string;

  beforeEach(async () => {
    api = await PublishingApi.open({ messageRate: 5, restRate: 1 });
    key = api.newKey();
  });
  afterEach(() => api.close());

  const sent = (): number => api.calls.reduce((sum, { messages }) => sum + messages.length, 0);

  it('counts messages, not requests, by API key', async () => {
    expect((await api.post(batchOf(4), key)).body.results).to.have.length(4);
    expect((await api.post(message, key)).status).to.equal(200);
    expect((await api.post(message, key)).status).to.equal(429);
    expect((await api.post(message, api.newKey())).status).to.equal(200);
    expect(sent()).to.equal(6);
  });

  it('refuses what of a batch is beyond it, and everything behind', async () => {
    const large = { topic: 'a/b/c', data: 'x'.repeat(921_600) };
    const messages = [...batchOf(4).messages, large, message, message];
    const { status, body } = await api.post({ messages }, key);
    expect(status).to.equal(200);
    expect(body.results?.map(({ error }) => error)).to.eql([
      ...[undefined, undefined, undefined, undefined, 'message_too_large'],
      ...['rate_limit_exceeded', 'rate_limit_exceeded'],
    ]);
    expect(sent()).to.equal(4);
    expect((await api.post(batchOf(2), key)).body).to.eql({ results: [beyond, beyond] });
    expect(api.calls).to.have.length(1);
  });

  it('says when the next message is accepted', async () => {
    await api.post(batchOf(5), key);
    const refused = await api.post(message, key);
    expect([refused.status, refused.body]).to.eql([429, beyond]);
    expect(refused.headers.get('retry-after')).to.equal('1');
    api.clock.pass(199);
    expect((await api.post(message, key)).status).to.equal(429);
    api.clock.pass(1);
    expect((await api.post(message, key)).status).to.equal(200);
    expect((await api.post(message, key)).status).to.equal(429);
  });

  it('is counted where it is reached, and apart from other requests', async () => {
    await api.post(batchOf(7), key);
    const reached: unknown[] = [];
    await api.limits.collect({
      value: (_name: string, value: number, labels: { limit: string }) =>
        void (labels.limit === 'httpPublishRate' && reached.push(value)),
    } as unknown as Parameters<typeof api.limits.collect>[0]);
    expect(reached).to.eql([2]);
    // The first request to another route is the first that the general limit counts.
    const other = () => api.send('{}', { key, path: '/apps' });
    expect((await other()).status).to.equal(400);
    expect((await other()).status).to.equal(429);
  });

  it('does not count requests that are refused as a whole', async () => {
    for (let n = 0; n < 10; n++) expect((await api.post({ topic: 1 }, key)).status).to.equal(400);
    expect((await api.post(batchOf(5), key)).body.results).to.not.deep.include(beyond);
  });

  it('is off at 0', async () => {
    const unlimited = await PublishingApi.open({ messageRate: 0 });
    const { body } = await unlimited.post(batchOf(100));
    expect(body.results).to.not.deep.include(beyond);
    unlimited.close();
  });
});

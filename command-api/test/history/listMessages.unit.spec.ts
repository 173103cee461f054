import { expect } from 'chai';
import { RoomApi, ids, now } from '../support/roomApi.js';
import { packed } from '../support/publishingApi.js';

describe('[HTTP-HIST-1] reading the history of a topic', () => {
  let api: RoomApi;

  beforeEach(async () => void (api = await RoomApi.open()));
  afterEach(() => api.close());

  const dataOf = ({ data }: { readonly data: readonly { readonly data: unknown }[] }) =>
    data.map((message) => message.data);
  const publishNumbers = (upTo: number) =>
    Array.from({ length: upTo }, (_, at) => api.publish('chat', packed(at + 1)));

  it('shows who published what, and when', async () => {
    const first = api.publish('chat', packed({ celsius: 93 }), { publisher: 'someone', filter: 'alarm' });
    const second = api.publish('chat', packed('hello'), { givenId: 'order-7' });
    const at = new Date(now).toISOString();
    const { status, body } = await api.get();
    expect(status).to.equal(200);
    const earlier = body.data[1];
    expect(earlier?.id).to.match(/^[0-9a-z]{13}\.gateway$/);
    expect(body).to.eql({
      data: [
        { id: 'order-7', at, actorTokenId: null, position: second, filter: null, data: 'hello' },
        {
          ...{ id: earlier?.id, at, actorTokenId: 'someone', position: first, filter: 'alarm' },
          data: { celsius: 93 },
        },
      ],
    });
  });

  it('shows what JSON cannot hold in base64', async () => {
    const bytes = Uint8Array.of(0xc4, 2, 1, 2);
    api.publish('chat', bytes);
    const [message] = (await api.get()).body.data;
    expect([message?.data, message?.base64]).to.eql([null, Buffer.from(bytes).toString('base64')]);
  });

  it('goes back from the newest, and on from the oldest, page by page', async () => {
    publishNumbers(5);
    const last = await api.get('?limit=2');
    expect(dataOf(last.body)).to.eql([5, 4]);
    const before = await api.get(`?limit=2&before=${last.body.next}`);
    expect(dataOf(before.body)).to.eql([3, 2]);
    const first = await api.get(`?limit=2&before=${before.body.next}`);
    expect(dataOf(first.body)).to.eql([1]);
    expect(first.body).to.not.have.any.keys('next', 'gap');
    const up = await api.get('?limit=3&after=');
    expect(dataOf(up.body)).to.eql([1, 2, 3]);
    expect(dataOf((await api.get(`?after=${up.body.next}`)).body)).to.eql([4, 5]);
  });

  it('takes an empty before as none, and an empty scope', async () => {
    publishNumbers(2);
    expect(dataOf((await api.get('?before=&scope=')).body)).to.eql([2, 1]);
    expect(dataOf((await api.get('?before=&after=')).body)).to.eql([1, 2]);
  });

  it('clamps the limit to 1-1000, of 100 by default', async () => {
    publishNumbers(1_001);
    for (const [query, length] of [
      ['', 100],
      ['?limit=0', 1],
      ['?limit=-7', 1],
      ['?limit=9999', 1_000],
    ] as const)
      expect((await api.get(query)).body.data).to.have.length(length);
    expect((await api.get('?limit=many')).body.message).to.equal('Validation failed');
  });

  it('ends a page below a mebibyte of messages', async () => {
    const large = packed('x'.repeat(300_000));
    for (let made = 0; made < 5; made++) api.publish('chat', large);
    const { body } = await api.get();
    expect(body.data).to.have.length(3);
    expect((await api.get(`?before=${body.next}`)).body.data).to.have.length(2);
  });

  it('shows what the settings of the topic still allow', async () => {
    api.publish('chat', packed('old'), { seconds: 61 });
    publishNumbers(3);
    api.topicConfigs = { chat: { history: { seconds: 60, messages: 2 } } };
    expect(dataOf((await api.get()).body)).to.eql([3, 2]);
  });

  it('says what is missing behind a position', async () => {
    const [first] = publishNumbers(2);
    const topic = api.topicOf('chat');
    await api.kept.deleteTopic(topic, { ...ids }, { epoch: api.kept.epochOf(), offset: 1 });
    const third = api.publish('chat', packed(3));
    const { body } = await api.get(`?after=${first}`);
    expect([dataOf(body), body.gap]).to.eql([[3], { reason: 'expired', after: first, before: third }]);
    const foreign = await api.get('?after=another');
    expect(foreign.body.gap).to.eql({ reason: 'unknown', before: third });
  });

  it('has one record of each scope', async () => {
    api.publish('chat', packed('outside'));
    api.publish('chat', packed('inside'), { scopeId: ids.scopeId });
    expect(dataOf((await api.get()).body)).to.eql(['outside']);
    expect(dataOf((await api.get(`?scope=${ids.scopeId}`)).body)).to.eql(['inside']);
    expect(dataOf((await api.get(`?scope=${ids.scopeId.toUpperCase()}`)).body)).to.eql(['inside']);
    for (const unknown of [ids.foreignScopeId, ids.roomId, 'hidden']) {
      const { status, body } = await api.get(`?scope=${unknown}`);
      expect([status, body.message]).to.eql([404, `Access scope ${unknown} not found`]);
    }
  });

  it('refuses a malformed position, and two of them', async () => {
    for (const query of [
      '?before=a%20b',
      `?after=${'a'.repeat(65)}`,
      '?before=a&after=',
      '?before=a&after=b',
    ]) {
      const { status, body } = await api.get(query);
      expect([status, body.message, body.errors?.length]).to.eql([400, 'Validation failed', 1]);
    }
  });

  it('needs a topic that the room has, with history', async () => {
    const off = await api.get('', { topic: 'plain' });
    expect([off.status, off.body.message]).to.eql([400, 'History is not enabled for topic "plain"']);
    expect(off.body).to.have.all.keys('id', 'message', 'timestamp');
    for (const topic of ['other', 'elsewhere', '7b3978c0-B827-43f4-8fd1-7c8d9eafb0c6']) {
      const { status, body } = await api.get('', { topic });
      expect([status, body.message]).to.eql([404, `Topic "${topic}" not found`]);
    }
  });

  it('needs the permission history:read', async () => {
    const key = api.newKey(['rooms:write', 'publish:write']);
    const { status, body } = await api.get('', { key });
    expect([status, body.message]).to.eql([403, 'API key lacks the permission history:read']);
    expect((await api.get('', { key: api.newKey(['history:read']) })).status).to.equal(200);
  });

  it('is unavailable without the record, and not empty', async () => {
    api.kept.isAway = true;
    expect((await api.get()).status).to.equal(503);
    api.history = undefined;
    expect((await api.get()).status).to.equal(503);
  });
});

import { encode } from '@msgpack/msgpack';
import { expect } from 'chai';
import { messageBody, messageHead } from '@roomwire/shared/wire/protocol/encodeFrames';
import { ids, RoomApi } from '../support/roomApi.js';

const { appId, roomId, scopeId, foreignScopeId } = ids;
const unknownGroup = '00000000-0000-4000-8000-0000000000ff';

interface Shown extends Readonly<Record<string, unknown>> {
  readonly groupId: string;
  readonly name: string;
  readonly createdAt: string;
}

interface Answered {
  readonly status: number;
  readonly body: Shown & { readonly data: readonly Shown[]; readonly next: string | null };
}

describe('[HTTP-GROUP-1] worker groups over HTTP', () => {
  let api: RoomApi;

  beforeEach(async () => void (api = await RoomApi.open()));
  afterEach(() => api.close());

  const groups = async (...asked: Parameters<RoomApi['groups']>) =>
    (await api.groups(...asked)) as unknown as Answered;
  const create = (fields: object = {}): Promise<Answered> =>
    groups('POST', '', { body: { topic: 'chat', name: 'thumbnails', ...fields } });
  const events = async () => (await api.events()).map(({ type, data }) => ({ type, data }));

  it('are made with the usual options, then have those of the last call', async () => {
    const { status, body } = await create();
    const { groupId, createdAt, ...fields } = body;
    expect(status).to.equal(201);
    expect(fields).to.eql({
      ...{
        topic: 'chat',
        name: 'thumbnails',
        scope: null,
        depth: 0,
        inFlight: 0,
        oldestAt: null,
        members: 0,
      },
      jobs: { prefetch: 100, ackSeconds: 60, maxDeliveries: 5 },
    });
    expect(new Date(createdAt).toISOString()).to.equal(createdAt);
    const again = await create({ jobs: { ackSeconds: 5 } });
    expect([again.status, again.body.groupId]).to.eql([200, groupId]);
    expect(again.body.jobs).to.eql({ prefetch: 100, ackSeconds: 5, maxDeliveries: 5 });
    const scoped = await create({ scope: scopeId });
    expect([scoped.status, scoped.body.scope]).to.eql([201, scopeId]);
  });

  it('are listed in pages, in all scopes', async () => {
    for (let n = 0; n < 5; n += 1) await create({ name: `g${n}`, scope: n % 2 ? scopeId : null });
    const seen: string[] = [];
    let query = '?limit=2';
    for (let pages = 1; pages <= 3; pages += 1) {
      const { body } = await groups('GET', query);
      for (const { name } of body.data) seen.push(name);
      expect(body.next === null).to.equal(pages === 3);
      query = `?limit=2&cursor=${body.next}`;
    }
    expect(seen.sort()).to.eql(['g0', 'g1', 'g2', 'g3', 'g4']);
    expect((await groups('GET', '?cursor=elsewhere')).status).to.equal(400);
  });

  it('show their oldest jobs, with what JSON cannot hold in base64', async () => {
    const body = (data: unknown, filter?: string) =>
      messageBody(messageHead('app/hall/chat'), encode(data), filter);
    const job = { from: null, at: 1_000, deliveries: 2, filters: [] };
    api.jobGroups.jobs = [
      { ...job, msgId: 'm1', body: body({ image: 'a.jpg' }, 'eu') },
      { ...job, msgId: 'm2', body: body(Uint8Array.of(1)), from: 'ann' },
    ];
    const { groupId } = (await create()).body;
    const shown = { at: new Date(1_000).toISOString(), deliveries: 2 };
    const [first, second] = [
      { ...shown, msgId: 'm1', actorTokenId: null, filter: 'eu', data: { image: 'a.jpg' } },
      { ...shown, msgId: 'm2', actorTokenId: 'ann', filter: null, data: null, base64: 'xAEB' },
    ];
    const peek = async (query = '') => (await groups('GET', `/${groupId}/jobs${query}`)).body.data;
    expect(await peek()).to.eql([first, second]);
    expect(await peek('?limit=1')).to.eql([first]);
    expect(await peek('?limit=0')).to.eql([first]);
  });

  it('are gone when they are deleted, and say so in the log', async () => {
    const { groupId } = (await create()).body;
    expect((await groups('GET', `/${groupId}`)).status).to.equal(200);
    expect((await groups('DELETE', `/${groupId}`)).status).to.equal(204);
    expect((await groups('DELETE', `/${groupId}`)).status).to.equal(404);
    const { status, body } = await groups('GET', `/${groupId}`);
    expect([status, body.message]).to.eql([404, `Worker group ${groupId} not found`]);
    const names = { appId, roomId, groupId, accessScopeId: null, topic: 'chat', name: 'thumbnails' };
    expect(await events()).to.eql([
      {
        type: 'JobGroupConfigured',
        data: { ...names, options: { prefetch: 100, ackSeconds: 60, maxDeliveries: 5 } },
      },
      { type: 'JobGroupDeleted', data: names },
    ]);
  });

  it('say in the log that they are deleted before they are', async () => {
    const { groupId } = (await create()).body;
    api.jobGroups.delete = () => Promise.reject(new Error('killed'));
    expect((await groups('DELETE', `/${groupId}`)).status).to.equal(500);
    expect((await events()).map(({ type }) => type)).to.eql(['JobGroupConfigured', 'JobGroupDeleted']);
  });

  it('need a topic of the room, a scope of the project, and members that have jobs', async () => {
    const answerTo = async (fields: object) => {
      const { status, body } = await create(fields);
      return [status, body.message];
    };
    expect(await answerTo({ topic: 'elsewhere' })).to.eql([404, 'Topic "elsewhere" not found']);
    for (const scope of [unknownGroup, foreignScopeId])
      expect(await answerTo({ scope })).to.eql([404, `Access scope ${scope} not found`]);
    api.jobGroups.withoutJobs.add('plain');
    expect(await answerTo({ name: 'plain' })).to.eql([409, 'Worker group "plain" has members without jobs']);
    expect(await events()).to.eql([]);
  });

  it('take options within their bounds alone', async () => {
    const bounds = { prefetch: [1, 1_000], ackSeconds: [5, 3_600], maxDeliveries: [1, 100] } as const;
    for (const [option, [least, most]] of Object.entries(bounds)) {
      for (const value of [least, most])
        expect((await create({ jobs: { [option]: value } })).status).to.be.below(300);
      for (const value of [least - 1, most + 1, least + 0.5, `${least}`, null])
        expect((await create({ jobs: { [option]: value } })).status, `${option} ${value}`).to.equal(400);
    }
    for (const fields of [
      { name: '' },
      { name: 'x'.repeat(256) },
      { topic: 7 },
      { jobs: { other: 1 } },
      { other: 1 },
    ])
      expect((await create(fields)).status).to.equal(400);
  });

  it('are for keys that have the right, and unavailable while their owner is', async () => {
    const [reading, writing] = [api.newKey(['groups:read']), api.newKey(['groups:write'])];
    const body = { topic: 'chat', name: 'g' };
    expect((await groups('POST', '', { body, key: reading })).status).to.equal(403);
    expect((await groups('POST', '', { body, key: writing })).status).to.equal(201);
    for (const key of [reading, writing]) expect((await groups('GET', '', { key })).status).to.equal(200);
    expect((await groups('GET', '', { key: api.newKey(['rooms:write']) })).status).to.equal(403);
    api.jobGroups.isAway = true;
    expect((await groups('GET')).status).to.equal(503);
    expect((await groups('POST', '', { body })).status).to.equal(503);
  });
});

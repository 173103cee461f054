import { expect } from 'chai';
import { RoomApi, ids } from '../support/roomApi.js';
import { packed } from '../support/publishingApi.js';

const { appId, roomId, scopeId } = ids;

describe('[HTTP-HIST-2] deleting the history of a topic', () => {
  let api: RoomApi;

  beforeEach(async () => void (api = await RoomApi.open()));
  afterEach(() => api.close());

  const lengthOf = async (query = ''): Promise<number> => (await api.get(query)).body.data.length;

  it('empties the topic, and says so in the log without what was in it', async () => {
    api.publish('chat', packed('secret'));
    const upTo = api.publish('chat', packed('secret'));
    const { status, body } = await api.delete();
    expect([status, body]).to.eql([204, {}]);
    expect(await lengthOf()).to.equal(0);
    const events = await api.events();
    const { room } = api.topicOf('chat');
    expect(events.map(({ type, data }) => ({ type, data }))).to.eql([
      { type: 'HistoryDeleted', data: { appId, roomId, accessScopeId: null, topic: 'chat', room, upTo } },
    ]);
  });

  it('leaves what is published afterwards, and other scopes', async () => {
    api.publish('chat', packed(1));
    api.publish('chat', packed(2), { scopeId });
    await api.delete();
    api.publish('chat', packed(3));
    expect([await lengthOf(), await lengthOf(`?scope=${scopeId}`)]).to.eql([1, 1]);
    expect((await api.delete(`?scope=${scopeId}`)).status).to.equal(204);
    expect([await lengthOf(), await lengthOf(`?scope=${scopeId}`)]).to.eql([1, 0]);
    const [, { data } = {}] = await api.events();
    expect(data).to.deep.include({ accessScopeId: scopeId, room: api.topicOf('chat', scopeId).room });
  });

  it('writes the event first, so that what it was killed over is deleted by others', async () => {
    api.publish('chat', packed(1));
    api.kept.deleteTopic = () => Promise.reject(new Error('killed'));
    expect((await api.delete()).status).to.equal(500);
    expect(await api.events()).to.have.length(1);
  });

  it('records no position where there is no history, since there may be a last value', async () => {
    expect((await api.delete('', { topic: 'plain' })).status).to.equal(204);
    expect((await api.delete()).status).to.equal(204);
    const named = (await api.events()).map(({ data }) => data as { topic: string; upTo: string });
    expect(named.map(({ topic, upTo }) => [topic, upTo])).to.eql([
      ['plain', ''],
      ['chat', ''],
    ]);
  });

  it('deletes what is left of a history that was switched off, once', async () => {
    const upTo = api.publish('chat', packed(1));
    api.topicConfigs = {};
    for (let time = 0; time < 2; time++) expect((await api.delete()).status).to.equal(204);
    expect((await api.events()).map(({ data }) => (data as { upTo: string }).upTo)).to.eql([upTo, '']);
  });

  it('knows only topics of the room, and scopes of the project', async () => {
    const topic = await api.delete('', { topic: 'other' });
    expect([topic.status, topic.body.message]).to.eql([404, 'Topic "other" not found']);
    expect((await api.delete(`?scope=${ids.foreignScopeId}`)).status).to.equal(404);
    expect(await api.events()).to.eql([]);
  });

  it('needs the permission history:write', async () => {
    const { status, body } = await api.delete('', { key: api.newKey(['history:read', 'rooms:write']) });
    expect([status, body.message]).to.eql([403, 'API key lacks the permission history:write']);
    expect((await api.delete('', { key: api.newKey(['history:write']) })).status).to.equal(204);
  });

  it('is unavailable without the record, and records nothing', async () => {
    api.kept.isAway = true;
    expect((await api.delete()).status).to.equal(503);
    expect(await api.events()).to.eql([]);
  });
});

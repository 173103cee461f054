import { expect } from 'chai';
import fc from 'fast-check';
import type { ApiClient } from '../../../support/apiClient.js';
import { startTestService, type TestService } from '../../../support/testService.js';

describe('REST scopes and grants under concurrency', function () {
  this.timeout(120_000);
  let service: TestService;
  let client: ApiClient;

  before(async () => void (service = await startTestService()));
  after(() => service.close());
  beforeEach(async () => void ({ client } = await service.newProject()));

  const tally = (values: readonly number[]): Record<number, number> =>
    Object.fromEntries(
      [...new Set(values)].map((value) => [value, values.filter((each) => each === value).length]),
    );
  const newScope = async (slug: string): Promise<string> =>
    (await client.post('/scopes', { slug, name: slug })).body.accessScopeId;
  const newActor = async (accessScopeId?: string): Promise<string> =>
    (await client.post('/actors', { name: 'x', actorType: 'user', accessScopeId })).body.actorTokenId;
  const move = (actor: string, accessScopeId: string | null) =>
    client.patch(`/actors/${actor}`, { accessScopeId });
  const statusOf = async (request: ReturnType<ApiClient['get']>): Promise<number> => (await request).status;

  it('accept one of fifty equal scopes', async () => {
    for (let round = 0; round < 3; round += 1) {
      const create = () => statusOf(client.post('/scopes', { slug: `scope-${round}`, name: 'x' }));
      expect(tally(await Promise.all(Array.from({ length: 50 }, create)))).to.eql({ 201: 1, 409: 49 });
    }
    expect((await client.get('/scopes')).body.pagination.total).to.equal(3);
  });

  it('accept one of fifty equal grants', async () => {
    const { appId } = (await client.post('/apps', { name: 'App' })).body;
    const { roomId } = (await client.post(`/apps/${appId}/rooms`, { name: 'Room' })).body;
    const grants = `/apps/${appId}/rooms/${roomId}/actors`;
    for (const holder of [{ actorTokenId: await newActor() }, { actorType: 'agent' }]) {
      const grant = () => statusOf(client.post(grants, { ...holder, permission: 'pubSub' }));
      expect(tally(await Promise.all(Array.from({ length: 50 }, grant)))).to.eql({ 201: 1, 409: 49 });
    }
    expect((await client.get(grants)).body).to.have.length(2);
  });

  it('revoke a grant once', async () => {
    const { appId } = (await client.post('/apps', { name: 'App' })).body;
    const { roomId } = (await client.post(`/apps/${appId}/rooms`, { name: 'Room' })).body;
    const grants = `/apps/${appId}/rooms/${roomId}/actors`;
    const grant = { actorType: 'agent', permission: 'pubSub' };
    const { roomActorAccessId } = (await client.post(grants, grant)).body;
    const revoke = () => statusOf(client.delete(`${grants}/${roomActorAccessId}`));
    expect(tally(await Promise.all(Array.from({ length: 20 }, revoke)))).to.eql({ 204: 1, 404: 19 });
  });

  it('refuse to delete a scope while an actor moves in', async () => {
    const names = ['create', 'move', 'moveAgain', 'delete', 'deleteAgain'];
    const start = fc.record({ name: fc.constantFrom(...names), afterTicks: fc.nat(30) });
    const rounds = fc.sample(
      fc.uniqueArray(start, { selector: ({ name }) => name, minLength: 3, maxLength: 5 }),
      { seed: 7, numRuns: 40 },
    );
    const seen = { gone: 0, kept: 0 };
    for (const [round, starts] of rounds.entries()) {
      const scope = await newScope(`scope-${round}`);
      const [first, second] = [await newActor(), await newActor()];
      const requests: Record<string, () => Promise<number>> = {
        create: () =>
          statusOf(client.post('/actors', { name: 'x', actorType: 'user', accessScopeId: scope })),
        move: () => statusOf(move(first, scope)),
        moveAgain: () => statusOf(move(second, scope)),
        delete: () => statusOf(client.delete(`/scopes/${scope}`)),
        deleteAgain: () => statusOf(client.delete(`/scopes/${scope}`)),
      };
      const statuses = await Promise.all(
        starts.map(async ({ name, afterTicks }) => {
          for (let tick = 0; tick < afterTicks; tick += 1) await new Promise(setImmediate);
          return (requests[name] as () => Promise<number>)();
        }),
      );
      const of = (...wanted: string[]) =>
        statuses.filter((_, index) => wanted.includes((starts[index] as { name: string }).name));
      const moved = of('create', 'move', 'moveAgain');
      const removed = of('delete', 'deleteAgain');
      const inside = ((await client.get('/actors')).body as { accessScopeId: string }[]).filter(
        (actor) => actor.accessScopeId === scope,
      );
      if (removed.includes(204)) {
        seen.gone += 1;
        expect(moved, `round ${round}`).to.eql(moved.map(() => 400));
        expect(inside).to.eql([]);
        expect(await statusOf(client.get(`/scopes/${scope}`))).to.equal(404);
      } else {
        if (removed.length > 0) seen.kept += 1;
        expect(removed, `round ${round}`).to.eql(removed.map(() => 409));
        expect(inside).to.have.length(moved.length);
        expect(tally(moved)).to.not.have.property('400');
      }
    }
    expect(seen.gone, 'rounds in which the scope went').to.be.greaterThan(0);
    expect(seen.kept, 'rounds in which an actor came').to.be.greaterThan(0);
  });

  it('leave an actor that is moved to two scopes concurrently in one scope', async () => {
    for (let round = 0; round < 15; round += 1) {
      const scopes = [
        await newScope(`a-${round}`),
        await newScope(`b-${round}`),
        await newScope(`c-${round}`),
      ];
      const actor = await newActor(round % 2 === 0 ? scopes[2] : undefined);
      const answers = await Promise.all(scopes.slice(0, 2).map((scope) => move(actor, scope)));
      expect(answers.map(({ status }) => status)).to.eql([200, 200]);
      const { accessScopeId } = (await client.get(`/actors/${actor}`)).body;
      expect(scopes.slice(0, 2)).to.include(accessScopeId);
      const deletions = await Promise.all(scopes.map((scope) => statusOf(client.delete(`/scopes/${scope}`))));
      expect(deletions).to.eql(scopes.map((scope) => (scope === accessScopeId ? 409 : 204)));
      expect((await move(actor, null)).status).to.equal(200);
      expect(await statusOf(client.delete(`/scopes/${accessScopeId}`))).to.equal(204);
    }
  });

  it('leave no membership of an actor that is deleted while it moves', async () => {
    for (let round = 0; round < 15; round += 1) {
      const [from, to] = [await newScope(`from-${round}`), await newScope(`to-${round}`)];
      const actor = await newActor(from);
      const [moved, removed] = await Promise.all([
        statusOf(move(actor, to)),
        statusOf(client.delete(`/actors/${actor}`)),
      ]);
      expect([moved === 200 || moved === 404, removed]).to.eql([true, 204]);
      for (const scope of [from, to]) expect(await statusOf(client.delete(`/scopes/${scope}`))).to.equal(204);
    }
  });

  it('lose no field when different fields change concurrently', async () => {
    const path = `/scopes/${await newScope('acme')}`;
    const [first, second] = [await newScope('first'), await newScope('second')];
    const actor = await newActor(first);
    for (let round = 0; round < 15; round += 1) {
      const isActive = round % 2 === 0;
      const answers = await Promise.all([
        client.patch(path, { name: `n${round}` }),
        client.patch(path, { description: `d${round}` }),
        client.patch(path, { metadata: { round } }),
        client.patch(path, { isActive }),
        client.patch(`/actors/${actor}`, { name: `n${round}` }),
        client.patch(`/actors/${actor}`, { metadata: { round } }),
        move(actor, isActive ? second : first),
      ]);
      expect(answers.map(({ status }) => status)).to.eql(answers.map(() => 200));
      const changed = { name: `n${round}`, metadata: { round } };
      expect((await client.get(path)).body).to.deep.include({
        ...changed,
        description: `d${round}`,
        isActive,
      });
      expect((await client.get(`/actors/${actor}`)).body).to.deep.include({
        ...changed,
        accessScopeId: isActive ? second : first,
      });
    }
  });
});

import { expect } from 'chai';
import { Rejection } from '@roomwire/command-api/handling/rejections';
import { EngineUnavailable, RevisionConflict } from '@roomwire/shared/ports/errors';
import { openControlPlane, type Append, type CommandApiProcess, type ControlPlane } from './controlPlane.js';

/** Lets the first append that matches reach the log or not, and then fails it. */
const failingOnce = (
  stream: RegExp,
  type: string,
  { isWritten, error = new EngineUnavailable('event log') }: { isWritten: boolean; error?: Error },
) => {
  let fails = true;
  return (original: Append): Append =>
    async (name, expected, events) => {
      if (!fails || !stream.test(name) || !events.some((event) => event.type === type))
        return original(name, expected, events);
      fails = false;
      if (isWritten) await original(name, expected, events);
      throw error;
    };
};

const outcome = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => 'done',
    (error: unknown) => (error instanceof Rejection ? { [error.code]: error.details } : error),
  );
const ticks = async (count: number): Promise<void> => {
  for (let tick = 0; tick < count; tick += 1) await new Promise(setImmediate);
};
const inUse = (actors: number) => ({ scope_in_use: { actors } });

/** Longer than any request may take between its two appends. */
const aMinuteLater = 60_001;

describe('scope memberships', () => {
  let plane: ControlPlane;
  let api: CommandApiProcess;

  beforeEach(async () => {
    plane = await openControlPlane();
    api = plane.process();
  });
  afterEach(() => plane.close());

  const newScope = async (slug: string): Promise<string> =>
    (await api('POST /scopes', { body: { slug, name: slug } })).accessScopeId;
  const newActor = async (accessScopeId?: string): Promise<string> =>
    (await api('POST /actors', { body: { name: 'x', actorType: 'user', accessScopeId } })).actorTokenId;
  const move = (by: CommandApiProcess, actorId: string, accessScopeId: string | null, atMs = 0) =>
    by('PATCH /actors/{actorId}', { path: { actorId }, body: { accessScopeId }, atMs });
  const remove = (by: CommandApiProcess, scopeId: string, atMs = 0) =>
    outcome(by('DELETE /scopes/{scopeId}', { path: { scopeId }, atMs }));
  const scopeOf = async (actorId: string): Promise<string | null> =>
    (await api('GET /actors/{actorId}', { path: { actorId } })).accessScopeId;

  it('are released once they are old enough when the process ended before the actor was written', async () => {
    const scope = await newScope('acme');
    const failing = plane.process({ append: failingOnce(/^actor-/, 'ActorCreated', { isWritten: false }) });
    const body = { name: 'x', actorType: 'user', accessScopeId: scope };
    expect(await outcome(failing('POST /actors', { body }))).to.be.instanceOf(EngineUnavailable);
    for await (const actors of (await api('GET /actors')).parts) expect(actors).to.eql([]);
    expect(await remove(api, scope, 30_000)).to.eql(inUse(1));
    expect(await remove(api, scope, aMinuteLater)).to.equal('done');
  });

  it('are kept for an actor that was written although the command got no answer', async () => {
    const scope = await newScope('acme');
    const actor = await newActor();
    const failing = plane.process({ append: failingOnce(/^actor-/, 'ActorUpdated', { isWritten: true }) });
    expect(await outcome(move(failing, actor, scope))).to.be.instanceOf(EngineUnavailable);
    for (const deleting of [api, plane.process({ isBehind: true })])
      expect(await remove(deleting, scope, aMinuteLater)).to.eql(inUse(1));
    expect(await scopeOf(actor)).to.equal(scope);
    await move(api, actor, null);
    expect(await remove(api, scope)).to.equal('done');
  });

  it('are released when the process ended after the actor had left', async () => {
    const [first, second] = [await newScope('first'), await newScope('second')];
    const actor = await newActor(first);
    const failing = plane.process({
      append: failingOnce(/^scopes-/, 'ScopeMembershipGivenBack', { isWritten: false }),
    });
    expect(await outcome(move(failing, actor, second))).to.be.instanceOf(EngineUnavailable);
    expect(await scopeOf(actor)).to.equal(second);
    expect(await remove(api, first, aMinuteLater)).to.equal('done');
    expect(await remove(api, second, aMinuteLater)).to.eql(inUse(1));
  });

  it('are kept for existing actors when those of others are released', async () => {
    const scope = await newScope('acme');
    await newActor(scope);
    const failing = plane.process({ append: failingOnce(/^actor-/, 'ActorCreated', { isWritten: false }) });
    const body = { name: 'x', actorType: 'user', accessScopeId: scope };
    await outcome(failing('POST /actors', { body }));
    expect(await remove(api, scope)).to.eql(inUse(2));
    expect(await remove(api, scope, aMinuteLater)).to.eql(inUse(1));
  });

  it('are released at once when the actor is known not to have been written', async () => {
    const scope = await newScope('acme');
    const actor = await newActor();
    let conflicts = 0;
    const losing = plane.process({
      append: (original) => async (name, expected, events) => {
        if (!name.startsWith('actor-')) return original(name, expected, events);
        conflicts += 1;
        throw new RevisionConflict(name);
      },
    });
    expect(await outcome(move(losing, actor, scope))).to.be.instanceOf(RevisionConflict);
    expect(conflicts).to.be.greaterThan(0);
    expect(await remove(api, scope)).to.equal('done');
  });

  it('are released at once when the actor is deleted while it moves', async () => {
    const scope = await newScope('acme');
    const actor = await newActor();
    // Between the membership and the actor's own event another process deletes the actor.
    const late = plane.process({
      append: (original) => async (name, expected, events) => {
        const result = await original(name, expected, events);
        if (events.some(({ type }) => type === 'ScopeMembershipTaken'))
          await api('DELETE /actors/{actorId}', { path: { actorId: actor } });
        return result;
      },
    });
    expect(await outcome(move(late, actor, scope))).to.eql({ actor_not_found: { actorId: actor } });
    expect(await remove(api, scope)).to.equal('done');
  });

  it('are not taken again by an actor that is already in the scope', async () => {
    const scope = await newScope('acme');
    const actor = await newActor(scope);
    const appended: string[] = [];
    const watched = plane.process({
      append: (original) => (name, expected, events) => {
        appended.push(...events.map(({ type }) => type));
        return original(name, expected, events);
      },
    });
    await move(watched, actor, scope);
    expect(appended).to.eql([]);
  });

  it('are taken once for an actor that is moved into one scope twice concurrently', async () => {
    const scope = await newScope('acme');
    const actor = await newActor();
    await Promise.all([move(api, actor, scope), move(api, actor, scope)]);
    await move(api, actor, null);
    expect(await remove(api, scope)).to.equal('done');
  });

  it('are taken once for an actor that two processes move concurrently', async () => {
    const other = plane.process();
    for (let round = 0; round < 40; round += 1) {
      const [first, second] = [await newScope(`first-${round}`), await newScope(`second-${round}`)];
      const actor = await newActor(round % 2 === 0 ? undefined : first);
      await Promise.all([move(api, actor, first), move(other, actor, second)]);
      const [stayed, left] = (await scopeOf(actor)) === first ? [first, second] : [second, first];
      expect(await remove(api, left), `round ${round}`).to.equal('done');
      expect(await remove(other, stayed)).to.eql(inUse(1));
      await move(other, actor, null);
      expect(await remove(api, stayed)).to.equal('done');
    }
  });

  it('prevent the deletion of a scope while an actor moves in on another process', async () => {
    const other = plane.process();
    const seen = { deleted: 0, kept: 0 };
    for (let round = 0; round < 100; round += 1) {
      const scope = await newScope(`scope-${round}`);
      const actor = await newActor();
      // One of the two starts a little later than the other, by another step in each round.
      const lead = (round % 2 === 0 ? 1 : -1) * (round % 25);
      const [moved, removed] = await Promise.all([
        ticks(lead).then(() => outcome(move(api, actor, scope))),
        ticks(-lead).then(() => remove(other, scope)),
      ]);
      if (removed === 'done') {
        seen.deleted += 1;
        expect(moved).to.eql({ scope_not_in_project: { accessScopeId: scope } });
        expect(await scopeOf(actor)).to.equal(null);
      } else {
        seen.kept += 1;
        expect([moved, removed]).to.eql(['done', inUse(1)]);
        expect(await scopeOf(actor)).to.equal(scope);
      }
    }
    expect(seen.deleted, 'rounds in which the scope went').to.be.greaterThan(0);
    expect(seen.kept, 'rounds in which the actor came').to.be.greaterThan(0);
  });
});

import { expect } from 'chai';
import { externalActorId } from '@roomwire/shared/credentials/externalActor';
import type { Refusal } from '@roomwire/shared/ports/accessLog';
import type { SigningKeyChanges } from '@roomwire/shared/domain/signingKey';
import type { ScopeEvent } from '@roomwire/shared/domain/scope';
import { clientToken } from '@roomwire/testing/clients/clientTokens';
import type { Frame, FrameClient } from '@roomwire/testing/clients/frameClient';
import { ManualClock } from '@roomwire/testing/fakes/manualClock';
import { eventually } from '@roomwire/testing/run/eventually';
import { overlaid } from '../../support/overlaid.js';
import { changedMeanwhile } from '../../support/changedMeanwhile.js';
import { World } from '../../support/world.js';

type SigningKey = Awaited<ReturnType<World['signingKey']>>;

const denied = { type: 'auth', success: false, error: 'access_denied' };
const revoked = { code: 4001, reason: 'token_revoked' };
const aDay = 24 * 3_600;

describe('an external actor', () => {
  let world: World;
  let clock: ManualClock;
  let key: SigningKey;
  let refusals: Refusal[];

  beforeEach(async () => {
    [clock, refusals] = [new ManualClock(), []];
    world = await World.open({
      ...{ clock, expirySweepMs: 5, connectionsPerActor: 3 },
      accessRecorder: { refused: (refusal) => void refusals.push(refusal) },
    });
    key = await world.signingKey({ allowExternalActors: true });
  });
  afterEach(() => world.close());

  /** Unix seconds. */
  const inSeconds = (count: number) => Math.floor(clock.now() / 1_000) + count;
  const tokenOf = (name: string, roomwire?: unknown, claims: object = {}, of: SigningKey = key) =>
    clientToken(of, `ext:${name}`, { exp: inSeconds(60), roomwire, ...claims });
  const ask = async (token: string, more: object = {}): Promise<Frame> =>
    (await (await world.connect()).ask({ type: 'auth', token, protocolVersion: 2, ...more })) as Frame;
  const join = (name: string, roomwire?: unknown) => world.joinAs(tokenOf(name, roomwire));
  const idOf = (name: string) => externalActorId(world.projectId, `ext:${name}`);
  const isAlive = async (client: FrameClient) =>
    expect(await client.ask({ type: 'unsubscribe', topic: 'a' })).to.include({ type: 'unsubscribed' });

  const updated = (changes: SigningKeyChanges, { record: { signingKeyId } } = key) =>
    world.happened(
      { type: 'SigningKeyUpdated', data: { signingKeyId, changes } },
      { patch: 'signingKeys', id: signingKeyId, set: changes },
    );

  it('[WS-EXT-1] is who the token says, without a record', async () => {
    expect(await ask(tokenOf('ada'))).to.deep.equal({
      type: 'auth',
      success: true,
      actorTokenId: idOf('ada'),
      projectId: world.projectId,
      actorType: 'user',
      protocolVersion: 2,
      restoredSubscriptions: [],
    });
    expect(await ask(tokenOf('ada', { actorType: 'device' }))).to.include({
      ...{ actorTokenId: idOf('ada'), actorType: 'device' },
    });
    const names = ['a', 'a'.repeat(200), '😀'.repeat(200), 'https://id.example/users/7', ' \n'];
    for (const name of names) expect(await ask(tokenOf(name))).to.include({ actorTokenId: idOf(name) });
    expect(new Set(names.map(idOf)).size).to.equal(names.length);
    const theirs = await world.project();
    const foreign = await world.signingKey({ allowExternalActors: true }, theirs);
    expect(await ask(tokenOf('ada', undefined, {}, foreign))).to.include({
      ...{ success: true, projectId: theirs, actorTokenId: externalActorId(theirs, 'ext:ada') },
    });
  });

  it('[WS-EXT-2] is refused where its token is not as it must be', async () => {
    const plain = await world.signingKey();
    const bad: Record<string, string> = {
      'a key that allows none': tokenOf('ada', undefined, {}, plain),
      'the same, and it has expired': tokenOf('ada', undefined, { exp: inSeconds(-1) }, plain),
      'a claim that is malformed, and it has expired': tokenOf(
        'ada',
        { actorType: 'robot' },
        { exp: inSeconds(-1) },
      ),
      'no name': tokenOf(''),
      'a name that is too long': tokenOf('a'.repeat(201)),
      'half of a character': tokenOf('\ud800'),
      'another case': clientToken(key, 'EXT:ada', { exp: inSeconds(60) }),
      'no exp': tokenOf('ada', undefined, { exp: undefined }),
      'an exp more than a day ahead': tokenOf('ada', undefined, { exp: inSeconds(aDay) + 1 }),
      'a type that there is not': tokenOf('ada', { actorType: 'robot' }),
      'no type': tokenOf('ada', { actorType: null }),
      'a claim that is no object': tokenOf('ada', 'user'),
      'a claim that is a list': tokenOf('ada', []),
      'a claim that is null': tokenOf('ada', null),
      'a scope that is no id': tokenOf('ada', { accessScopeId: 'acme' }),
      'a scope that there is not': tokenOf('ada', { accessScopeId: world.organizationId }),
    };
    for (const [what, token] of Object.entries(bad)) expect(await ask(token), what).to.deep.equal(denied);
    expect(await ask(tokenOf('ada', { actorType: 'agent', accessScopeId: null }))).to.include({
      success: true,
    });
    expect(await ask(tokenOf('ada', undefined, { exp: inSeconds(aDay) }))).to.include({ success: true });
    const narrowed = tokenOf('ada', { actorType: 'agent', capabilities: {} });
    const client = await world.joinAs(narrowed);
    expect(await client.ask({ type: 'subscribe', topic: await world.newsroom() })).to.include({
      error: 'unknown_topic',
    });
    expect(await ask(tokenOf('ada', { capabilities: 7 }))).to.deep.equal(denied);
    expect(await ask(tokenOf('ada', undefined, { exp: inSeconds(0) }))).to.include({
      error: 'token_expired',
    });
  });

  it('[WS-EXT-3] may do what its type may, and has no grants of its own', async () => {
    const app = await world.app('app-1');
    const [open, closed] = [await world.room(app, 'open'), await world.room(app, 'closed')];
    await world.grant(closed, { actorType: 'device', permission: 'pubSub' });
    const [user, device] = [await join('ada'), await join('gauge', { actorType: 'device' })];
    for (const client of [user, device])
      expect(await client.ask({ type: 'subscribe', topic: 'app-1/open/news' })).to.include({
        type: 'subscribed',
      });
    const topic = 'app-1/closed/news';
    expect(await user.ask({ type: 'subscribe', topic })).to.include({ error: 'unknown_topic' });
    expect(await user.ask({ type: 'publish', topic, data: 1 })).to.include({ error: 'unknown_topic' });
    await device.subscribe(topic);
    (await join('other', { actorType: 'device' })).publish(topic, 7);
    expect(await device.next()).to.include({ data: 7 });
    const roomId = `app-1/${open.slug}`;
    await world.announce(user, roomId, { mood: 'fine' });
    expect(await device.ask({ type: 'getPresence', roomId })).to.nested.include({
      'data[0].actorTokenId': idOf('ada'),
    });
    const observer = await join('watcher', { actorType: 'observer' });
    expect(await observer.ask({ type: 'presence', roomId, data: {} })).to.include({
      error: 'unknown_topic',
    });
  });

  it('[WS-EXT-3] is in the scope that its token names, from one connection to the next', async () => {
    const topic = await world.newsroom();
    const [acme, other] = [await world.scope('acme'), await world.scope('other')];
    const { accessScopeId } = acme;
    const reader = await (
      await join('reader', { accessScopeId: accessScopeId.toUpperCase() })
    ).subscribe(topic);
    for (const roomwire of [undefined, { accessScopeId: other.accessScopeId }, { accessScopeId }]) {
      const writer = await join('ada', roomwire);
      const reply = await writer.publish(topic, roomwire ?? 'none', { msgRef: 'r' }).next();
      expect(reply).to.include({ type: 'published' });
    }
    expect(await reader.next()).to.deep.include({ data: { accessScopeId } });
    (await join('eve', { accessScopeId })).publish(topic, 'last');
    expect(await reader.next()).to.include({ data: 'last' });
  });

  it('[WS-EXT-4] is closed with its scope, its project and its organization, as any other', async () => {
    const [acme, other] = [await world.scope('acme'), await world.scope('other')];
    const [inAcme, inOther, inNone] = [
      await join('ada', { accessScopeId: acme.accessScopeId }),
      await join('ada', { accessScopeId: other.accessScopeId }),
      await join('ada'),
    ];
    const { accessScopeId } = acme;
    const event: ScopeEvent = { type: 'ScopeUpdated', data: { accessScopeId, changes: { isActive: false } } };
    await world.happened(event, { patch: 'scopes', id: accessScopeId, set: { isActive: false } });
    expect(await inAcme.closed).to.deep.equal({ code: 4001, reason: 'scope_inactive' });
    for (const client of [inOther, inNone]) await isAlive(client);
    const { organizationId } = world;
    await world.happened(
      { type: 'OrganizationUpdated', data: { organizationId, changes: { status: 'suspended' } } },
      { patch: 'organizations', id: organizationId, set: { status: 'suspended' } },
    );
    for (const client of [inOther, inNone]) expect(await client.closed).to.deep.equal(revoked);
    expect(await ask(tokenOf('ada'))).to.deep.equal(denied);
    await world.put({ patch: 'organizations', id: organizationId, set: { status: 'active' } });
    clock.pass(10_000);
    const again = await join('eve');
    await world.happened(
      { type: 'ProjectDeleted', data: { projectId: world.projectId } },
      { remove: 'projects', id: world.projectId },
    );
    expect(await again.closed).to.deep.equal({ code: 4001, reason: 'project_not_found' });
  });

  it('[WS-EXT-4] is revalidated by its token, each connection for itself', async () => {
    const checking = await World.open({ revalidationMs: 20 });
    const its = await checking.signingKey({ allowExternalActors: true });
    const scope = await checking.scope('acme');
    const exp = Math.floor(Date.now() / 1_000) + 600;
    const joined = async (roomwire?: object) =>
      checking.joinAs(clientToken(its, 'ext:ada', { exp, roomwire }));
    const [inScope, inNone] = [await joined({ accessScopeId: scope.accessScopeId }), await joined()];
    await checking.put({ patch: 'scopes', id: scope.accessScopeId, set: { isActive: false } });
    expect(await inScope.closed).to.deep.equal({ code: 4001, reason: 'scope_inactive' });
    await isAlive(inNone);
    const set = { allowExternalActors: false };
    await checking.put({ patch: 'signingKeys', id: its.record.signingKeyId, set });
    expect(await inNone.closed).to.deep.equal(revoked);
    await checking.close();
  });

  it('[WS-EXT-5] ends when its token expires', async () => {
    const client = await join('ada');
    clock.pass(60_000);
    expect(await client.next()).to.deep.equal({ type: 'disconnect', reason: 'token_expired' });
    expect(await client.closed).to.deep.equal({ code: 4003, reason: 'token_expired' });
  });

  for (const [what, changes] of [
    ['is disabled', { status: 'disabled' }],
    ['loses the flag', { allowExternalActors: false }],
  ] as const)
    it(`[WS-EXT-6] ends when its key ${what}`, async () => {
      const { record: actor } = await world.actor();
      const byOther = await world.joinAs(
        tokenOf('ada', undefined, {}, await world.signingKey({ allowExternalActors: true })),
      );
      const [ada, recorded] = [await join('ada'), await world.joinAs(clientToken(key, actor.keyId))];
      await updated(changes);
      expect(await ada.closed).to.deep.equal(revoked);
      expect(await ask(tokenOf('ada'))).to.deep.equal(denied);
      await isAlive(byOther);
      if ('allowExternalActors' in changes) await isAlive(recorded);
      else expect(await recorded.closed).to.deep.equal(revoked);
      await eventually(() => refusals.length >= 2);
      const { organizationId, projectId } = world;
      expect(refusals.slice(0, 1)).to.deep.include.members([
        {
          ...{ organizationId, projectId, principal: 'actor:ext:ada', address: '127.0.0.1', method: 'WS' },
          ...{ route: 'connection', status: 4001 },
          reason: 'status' in changes ? 'signing_key_inactive' : 'external_actors_not_allowed',
        },
      ]);
    });

  it('[WS-EXT-6] ends when its key loses the flag while it authenticates', async () => {
    const { world: racing, change } = await changedMeanwhile();
    const its = await racing.signingKey({ allowExternalActors: true });
    const { signingKeyId } = its.record;
    const changes = { allowExternalActors: false };
    change(() =>
      racing.happened(
        { type: 'SigningKeyUpdated', data: { signingKeyId, changes } },
        { patch: 'signingKeys', id: signingKeyId, set: changes },
      ),
    );
    const token = clientToken(its, 'ext:ada', { exp: Math.floor(Date.now() / 1_000) + 600 });
    const client = (await racing.connect()).send({ type: 'auth', token });
    expect(await client.closed).to.deep.equal(revoked);
    await racing.close();
  });

  it('[WS-EXT-7] renews its connection, into another scope too, but not as another actor or type', async () => {
    const topic = await world.newsroom();
    const scope = await world.scope('acme');
    const client = await (await join('ada')).subscribe(topic);
    const reauth = (token: string) => client.ask({ type: 'reauth', token });
    const failed = { type: 'reauth', success: false, error: 'actor_mismatch' };
    expect(await reauth(tokenOf('eve'))).to.deep.equal(failed);
    expect(await reauth(tokenOf('ada', { actorType: 'device' }))).to.deep.equal(failed);
    const exp = inSeconds(600);
    const roomwire = { accessScopeId: scope.accessScopeId };
    expect(await reauth(tokenOf('ada', roomwire, { exp }))).to.deep.equal({
      ...{ type: 'reauth', success: true, authExpiresAt: exp },
    });
    (await join('bob')).publish(topic, 'outside');
    (await join('bob', roomwire)).publish(topic, 'inside');
    expect(await client.next()).to.include({ data: 'inside' });
    // It is where its token says, whatever is read of it again.
    await updated({ name: 'new' });
    (await join('eve', roomwire)).publish(topic, 'still');
    expect(await client.next()).to.include({ data: 'still' });
  });

  it('[WS-EXT-8] leaves no last use behind: there is no record that would show it', async () => {
    const noted: string[] = [];
    const noting = await World.open({
      usage: (real) =>
        overlaid(real, {
          noteUses: async (uses) => {
            noted.push(...uses.map(({ id }) => id));
            await real.noteUses(uses);
          },
        }),
    });
    const its = await noting.signingKey({ allowExternalActors: true });
    const exp = Math.floor(Date.now() / 1_000) + 600;
    await noting.joinAs(clientToken(its, 'ext:ada', { exp }));
    await noting.close();
    expect(noted).to.deep.equal([its.record.signingKeyId]);
  });

  it('[WS-EXT-8] counts as one actor, has its sessions as an agent, and gets its own messages by its id', async () => {
    const topic = await world.newsroom();
    const agent = { actorType: 'agent' };
    const [one, other] = [await join('bot', agent), await join('bot', agent)];
    await (await join('bot')).close();
    await one.subscribe(topic, { meta: true });
    other.publish(topic, 'own');
    (await join('bot-2', agent)).publish(topic, 'another’s');
    const frame = (await one.next()) as Frame;
    expect(frame).to.include({ data: 'another’s' });
    expect(frame['meta']).to.include({ from: idOf('bot-2') });
    await eventually(async () => (await world.sessions.load(idOf('bot'), ''))?.subscriptions.length === 0);
    await other.subscribe(topic);
    await eventually(async () => (await world.sessions.load(idOf('bot'), ''))?.subscriptions.length === 1);
    await other.close();
    expect(await ask(tokenOf('bot', agent), { reconnect: true })).to.have.nested.property(
      'restoredSubscriptions[0].pattern',
      topic,
    );
    const another = await join('bot', agent);
    expect(await ask(tokenOf('bot', agent))).to.include({ error: 'connection_limit_reached' });
    await isAlive(another);
  });
});

import { expect } from 'chai';
import { limitTable } from '@roomwire/shared/wire/limits/limitTable';
import { room } from '@roomwire/testing/builders/records';
import { createRecordingLogger } from '@roomwire/testing/fakes/loggers';
import { clientToken } from '@roomwire/testing/clients/clientTokens';
import type { Frame, FrameClient } from '@roomwire/testing/clients/frameClient';
import type { Actor } from '@roomwire/shared/domain/actor';
import type { App } from '@roomwire/shared/domain/app';
import { World } from '../../support/world.js';

type Claim = Readonly<Record<string, unknown>>;

const news = 'app-1/lobby/news';
const chat = 'app-1/lobby/chat';
const hall = 'app-1/hall/news';
const everything = { '*/*/*': ['subscribe', 'publish', 'presence', 'history'] };

describe('capabilities of a client token', () => {
  let world: World;
  let app: App;
  let key: Awaited<ReturnType<World['signingKey']>>;
  let actor: Actor;
  const { logger, lines } = createRecordingLogger();

  beforeEach(async () => {
    lines.length = 0;
    world = await World.open({ logger });
    app = await world.app('app-1', { topicConfigs: { news: { history: {} } } });
    for (const slug of ['lobby', 'hall']) await world.room(app, slug);
    key = await world.signingKey();
    actor = (await world.actor({ actorType: 'agent' })).record;
  });

  afterEach(() => world.close());

  const tokenWith = (roomwire: unknown, { keyId } = actor) => clientToken(key, keyId, { roomwire });
  const tokenOf = (capabilities: unknown, of = actor) => tokenWith({ capabilities }, of);
  const joinWith = (capabilities: Claim) => world.joinAs(tokenOf(capabilities));

  const errorOf = (frame: Frame | 'heartbeat') =>
    frame === 'heartbeat' ? frame : (frame['error'] ?? frame['type']);
  const subscribing = async (client: FrameClient, topic: string, options: Frame = {}) =>
    errorOf(await client.ask({ type: 'subscribe', topic, ...options }));
  const publishing = async (client: FrameClient, topic: string) =>
    errorOf(await client.publish(topic, 'said', { msgRef: 'r' }).next());
  const reauth = (client: FrameClient, token: string) => client.ask({ type: 'reauth', token });

  it('[WS-AUTH-19] [WS-NOTICE-1] are among the features, and so are notices', async () => {
    const auth = { type: 'auth', token: tokenOf({}), features: true };
    expect(await (await world.connect()).ask(auth))
      .to.have.property('features')
      .that.includes.members(['capabilities', 'notices']);
  });

  it('[WS-CAP-1] that are malformed are refused at auth and at reauth, and the log says so without the token', async () => {
    const client = await joinWith(everything);
    const malformed: readonly unknown[] = [
      { capabilities: null },
      { capabilities: { 'app-1/lobby': ['subscribe'] } },
      { capabilities: { 'app-1/*lobby/news': ['subscribe'] } },
      { capabilities: { 'app-1/lobby/news': ['read'] } },
      { capabilities: { 'app-1/lobby/news': 'subscribe' } },
      { capabilities: Object.fromEntries(Array.from({ length: 101 }, (_, n) => [`a/b/${n}`, []])) },
      'capabilities',
    ];
    for (const claim of malformed) {
      const token = tokenWith(claim);
      lines.length = 0;
      const refused = { success: false, error: 'access_denied' };
      const asked = (await world.connect()).ask({ type: 'auth', token, protocolVersion: 2 });
      expect(await asked, JSON.stringify(claim)).to.deep.equal({ type: 'auth', ...refused });
      expect(await reauth(client, token)).to.deep.equal({ type: 'reauth', ...refused });
      const told = lines.filter(({ message }) => message === 'A credential was refused');
      expect(told.map(({ level, fields }) => [level, fields?.['frame'], fields?.['reason']])).to.eql([
        ['debug', 'auth', 'capabilities_malformed'],
        ['debug', 'reauth', 'capabilities_malformed'],
      ]);
      expect(JSON.stringify(lines)).not.to.include(token.split('.')[2]);
    }
    expect(await subscribing(client, hall)).to.equal('subscribed');
  });

  it('[WS-CAP-1] are not said to be malformed to whoever has not signed them, nor that they have expired', async () => {
    const claims = { roomwire: { capabilities: 7 }, exp: 1 };
    const answers = [
      clientToken(key, actor.keyId, claims),
      clientToken({ ...key, secret: 'x' }, 'y', claims),
    ];
    for (const token of answers)
      expect(await (await world.connect()).ask({ type: 'auth', token })).to.include({
        error: 'access_denied',
      });
  });

  it('[WS-CAP-2] narrow what the actor may subscribe to and publish, and the rest is unknown', async () => {
    const client = await joinWith({
      'app-1/lobby/*': ['subscribe'],
      'app-1/lobby/chat': ['publish'],
      'app-1/ha*/news': ['publish'],
    });
    expect([await subscribing(client, news), await publishing(client, news)]).to.eql([
      'subscribed',
      'unknown_topic',
    ]);
    expect([await subscribing(client, chat), await publishing(client, chat)]).to.eql([
      'subscribed',
      'published',
    ]);
    expect([await subscribing(client, hall), await publishing(client, hall)]).to.eql([
      'unknown_topic',
      'published',
    ]);
  });

  it('[WS-CAP-2] leave all as it is where there are none, and nothing where they are empty', async () => {
    const free = await world.joinAs(tokenWith({ anything: 'else' }));
    expect([await subscribing(free, news), await publishing(free, news)]).to.eql(['subscribed', 'published']);
    const none = await joinWith({});
    expect([await subscribing(none, news), await publishing(none, news)]).to.eql([
      'unknown_topic',
      'unknown_topic',
    ]);
  });

  it('[WS-CAP-2] give nothing that the actor may not do anyway', async () => {
    await world.grant(await world.room(app, 'closed'), { actorType: 'service' });
    const client = await joinWith(everything);
    expect([
      await subscribing(client, 'app-1/closed/news'),
      await publishing(client, 'app-1/closed/news'),
    ]).to.eql(['unknown_topic', 'unknown_topic']);
    const observer = (await world.actor({ actorType: 'observer' })).record;
    const watching = await world.joinAs(tokenOf(everything, observer));
    expect([await subscribing(watching, news), await publishing(watching, news)]).to.eql([
      'subscribed',
      'unknown_topic',
    ]);
  });

  it('[WS-CAP-2] hold for members of worker groups and for last values too', async () => {
    (await world.join()).publish(news, 'last', { retain: true });
    const client = await joinWith({ [news]: ['subscribe'] });
    expect(await subscribing(client, hall, { loadBalance: true })).to.equal('unknown_topic');
    await world.spread();
    await client.subscribe(news);
    expect(await client.next()).to.include({ type: 'message', data: 'last' });
  });

  it('[WS-CAP-2] [WS-RESUME-2] restore no subscription that they leave out', async () => {
    const first = await joinWith(everything);
    await (await first.subscribe(news)).subscribe(hall);
    await first.close();
    const auth = { type: 'auth', protocolVersion: 2, reconnect: true };
    const token = tokenOf({ [hall]: ['subscribe'] });
    const reply = (await (await world.connect()).ask({ ...auth, token })) as Frame;
    expect(reply['restoredSubscriptions']).to.have.lengthOf(1);
    expect(reply['restoredSubscriptions']).to.have.nested.property('0.pattern', hall);
  });

  it('[WS-CAP-3] show the history of a topic with `subscribe` and `history` alone', async () => {
    await (await world.join()).publish(news, 'before', { msgRef: 'r' }).next();
    const asking = async (...rights: string[]) => {
      const client = await joinWith({ [news]: rights });
      const asked = await client.ask({ type: 'history', topic: news, ref: '1' });
      return [errorOf(asked), await subscribing(client, news, { from: { last: 1 } })];
    };
    expect(await asking('subscribe', 'history')).to.eql(['history', 'subscribed']);
    expect(await asking('subscribe')).to.eql(['unknown_topic', 'unknown_topic']);
    expect(await asking('history')).to.eql(['unknown_topic', 'unknown_topic']);
    const live = await joinWith({ [news]: ['subscribe'] });
    expect(await subscribing(live, news, { meta: true })).to.equal('subscribed');
  });

  it('[WS-CAP-4] admit to the presence of rooms that a pattern with `presence` names, whatever its topic', async () => {
    const client = await joinWith({ 'app-1/lobby/none': ['presence'], 'app-1/hall/*': ['subscribe'] });
    const present = (roomId: string) => client.ask({ type: 'getPresence', roomId });
    client.send({ type: 'presence', roomId: 'lobby', data: {} });
    expect(await present('lobby')).to.have.nested.property('data[0].actorTokenId', actor.actorTokenId);
    expect(errorOf(await client.ask({ type: 'presence', roomId: 'hall', data: {} }))).to.equal(
      'unknown_topic',
    );
    expect(errorOf(await present('app-1/hall'))).to.equal('unknown_topic');
    expect(await subscribing(client, news)).to.equal('unknown_topic');
  });

  it('[WS-CAP-4] show those rooms of a lobby for which `presence` is allowed, to each connection its own', async () => {
    const ann = (await world.actor()).record;
    const [seesLobby, seesHall, seesAll] = [
      await world.joinAs(tokenOf({ 'app-1/lobby/*': ['presence'] }, ann)),
      await world.joinAs(tokenOf({ 'app-1/ha*/*': ['presence'] }, ann)),
      await world.joinAs(tokenOf(everything, ann)),
    ];
    const lobby = { type: 'lobbySubscribe', lobbyId: 'app-1' };
    await world.announce(await world.join(), 'lobby');
    expect(await seesLobby.ask(lobby))
      .to.have.property('presence')
      .that.has.all.keys('lobby');
    for (const client of [seesHall, seesAll]) await client.ask(lobby);
    for (const slug of ['hall', 'lobby']) await world.announce(await world.join(), slug);
    const roomOf = (frame: Frame | 'heartbeat') => (frame === 'heartbeat' ? frame : frame['roomId']);
    expect(roomOf(await seesLobby.next())).to.equal('lobby');
    expect(roomOf(await seesHall.next())).to.equal('hall');
    expect([await seesAll.next(), await seesAll.next()].map(roomOf)).to.eql(['hall', 'lobby']);
    const blind = await world.joinAs(tokenOf({ 'app-1/*/*': ['subscribe'] }, ann));
    expect(errorOf(await blind.ask(lobby))).to.equal('not_authorized');
  });

  it('[WS-CAP-4] [WS-LOBBY-7] find the room that they name in however large an app', async () => {
    const large = await world.app('large');
    const rooms = Array.from({ length: limitTable.lobbySearch.value + 1 }, (_, n) =>
      room(large, `room-${n}`),
    );
    await world.put(...rooms.map((doc) => ({ put: 'rooms', id: doc.roomId, doc }) as const));
    const client = await joinWith({ [`large/${rooms.at(-1)?.slug}/*`]: ['presence'] });
    const reply = await client.ask({ type: 'getLobbyPresence', lobbyId: 'large' });
    expect(reply).to.deep.equal({ type: 'lobbyPresenceList', lobbyId: 'large', presence: {} });
  });

  describe('of another token, by reauth', () => {
    it('[WS-CAP-5] end the subscriptions that they leave out, with a frame for those who asked for notices', async () => {
      const narrow = tokenOf({ [hall]: ['subscribe'], [news]: ['publish', 'history'] });
      const clients = [await joinWith(everything), await world.connect()] as const;
      await clients[1].ask({ type: 'auth', token: tokenOf(everything), protocolVersion: 2, notices: true });
      for (const client of clients) {
        for (const topic of [news, chat, hall]) await client.subscribe(topic);
        expect(await reauth(client, narrow)).to.include({ success: true });
      }
      for (const topic of [news, chat])
        expect(await clients[1].next()).to.deep.equal({
          type: 'subscriptionEnded',
          topic,
          reason: 'capability',
        });
      const writer = await world.join();
      for (const topic of [news, chat, hall]) await writer.publish(topic, topic, { msgRef: 'r' }).next();
      for (const client of clients) {
        expect(await client.next()).to.include({ type: 'message', data: hall });
        expect(errorOf(await client.ask({ type: 'setFilters', topic: news, filters: [] }))).to.equal(
          'not_subscribed',
        );
        expect(await publishing(client, news)).to.equal('published');
        expect(await publishing(client, hall)).to.equal('unknown_topic');
      }
    });

    it('[WS-CAP-5] are not restored later', async () => {
      const client = await joinWith(everything);
      await (await client.subscribe(news)).subscribe(hall);
      await reauth(client, tokenOf({ [hall]: ['subscribe'] }));
      await client.close();
      const auth = { type: 'auth', token: tokenOf(everything), protocolVersion: 2, reconnect: true };
      const reply = (await (await world.connect()).ask(auth)) as Frame;
      expect(reply['restoredSubscriptions']).to.have.lengthOf(1);
    });

    it('[WS-CAP-5] end the presence in a room that they leave out, and what is seen of it', async () => {
      const client = await joinWith(everything);
      const other = await world.join();
      for (const one of [other, client]) await world.announce(one, 'lobby');
      expect(await other.next()).to.include({ event: 'join' });
      await client.ask({ type: 'lobbySubscribe', lobbyId: 'app-1' });
      await reauth(client, tokenOf({ [hall]: ['presence'], [news]: ['subscribe'] }));
      expect(await other.next()).to.deep.equal({
        type: 'presence',
        event: 'leave',
        data: { actor_token_id: actor.actorTokenId },
      });
      for (const roomId of ['lobby', 'hall']) await world.announce(await world.join(), roomId);
      expect(await client.next()).to.include({ type: 'lobbyPresence', roomId: 'hall' });
      expect(errorOf(await client.ask({ type: 'presence', roomId: 'lobby', data: {} }))).to.equal(
        'unknown_topic',
      );
    });

    it('[WS-CAP-5] [WS-PRES-14] [WS-PRES-17] end what they leave out of several rooms, and of counts', async () => {
      const client = await joinWith(everything);
      const [inLobby, inHall] = [await world.join(), await world.join()];
      await world.announce(inLobby, 'lobby');
      await world.announce(inHall, 'hall');
      for (const roomId of ['lobby', 'hall']) {
        await world.announce(client, roomId, {}, { keep: true });
        expect(await client.ask({ type: 'presence', roomId, mode: 'count' })).to.include({ present: 2 });
      }
      for (const one of [inLobby, inHall]) expect(await one.next()).to.include({ event: 'join' });
      await reauth(client, tokenOf({ 'app-1/hall/*': ['presence'] }));
      expect(await inLobby.next()).to.include({ event: 'leave' });
      await world.announce(await world.join(), 'lobby');
      await world.announce(await world.join(), 'hall');
      expect(await client.next()).to.deep.equal({ type: 'presenceCount', roomId: 'hall', present: 3 });
      expect(await inHall.next()).to.include({ event: 'join' });
    });

    it('[WS-CAP-5] allow more, or all, from then on; nothing comes back by itself', async () => {
      const client = await joinWith({ [hall]: ['subscribe'] });
      expect(await subscribing(client, news)).to.equal('unknown_topic');
      await reauth(client, tokenOf({ [news]: ['subscribe'] }));
      expect([await subscribing(client, news), await subscribing(client, hall)]).to.eql([
        'subscribed',
        'unknown_topic',
      ]);
      await reauth(client, tokenWith(undefined));
      expect([await publishing(client, hall), await subscribing(client, chat)]).to.eql([
        'published',
        'subscribed',
      ]);
    });
  });

  it('[WS-CAP-2] hold after a change of what the room rests on', async () => {
    const client = await joinWith({ [news]: ['subscribe'] });
    await client.subscribe(news);
    const { appId, roomId } = await world.find('rooms', { slug: 'lobby' });
    await world.happened(
      { type: 'RoomUpdated', data: { appId, roomId, changes: { name: 'Other' } } },
      { patch: 'rooms', id: roomId, set: { name: 'Other' } },
    );
    expect(await publishing(client, news)).to.equal('unknown_topic');
    (await world.join()).publish(news, 'still here');
    expect(await client.next()).to.include({ data: 'still here' });
  });
});

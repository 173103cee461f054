import { expect } from 'chai';
import fc from 'fast-check';
import { actorTypes, type ActorType } from '../../src/domain/actor.js';
import type { App } from '../../src/domain/app.js';
import { admission, judgeAdmission } from '../../src/domain/admission.js';
import {
  hasGrants,
  noGrants,
  permissions,
  roomGrants,
  type Grant,
  type Room,
} from '../../src/domain/room.js';
import { app, grant, room } from '@roomwire/testing/builders/records';

const appWith = (fields: Partial<App> = {}): App => app('p', 'a', { topics: ['chat'], ...fields });
const roomWith = (fields: Partial<Room> = {}): Room =>
  room({ appId: 'a', projectId: 'p' }, 'r', { topics: ['chat', 'news', 'webrtc:offer'], ...fields });
const granted = (fields: Partial<Grant>): Grant => grant(roomWith(), fields);

const asks = (topic = 'chat', actorType: ActorType = 'user') => ({ actorTokenId: 'ada', actorType, topic });

const everything = { mayPublish: true, maySubscribe: true, until: Infinity };
const nothing = { mayPublish: false, maySubscribe: false, until: Infinity };

describe('admission to a topic of a room without grants', () => {
  const inOpen = (from: Partial<App>, of: Partial<Room>, request = asks()) =>
    admission(appWith(from), roomWith(of), noGrants, request);

  it('is granted where app and room are active and both have the topic', () => {
    expect(inOpen({}, {})).to.eql(everything);
  });

  it('requires the topic on the app and on the room', () => {
    expect(inOpen({}, {}, asks('news'))).to.eql(nothing);
    expect(inOpen({ topics: ['chat', 'else'] }, {}, asks('else'))).to.eql(nothing);
  });

  it('requires the WebRTC topics on the room only', () => {
    expect(inOpen({}, {}, asks('webrtc:offer'))).to.eql(everything);
    expect(inOpen({}, {}, asks('webrtc:answer'))).to.eql(nothing);
  });

  it('ends with a disabled or suspended app, and with a disabled room', () => {
    expect(inOpen({ status: 'disabled' }, {})).to.eql(nothing);
    expect(inOpen({ status: 'suspended' }, {})).to.eql(nothing);
    expect(inOpen({}, { status: 'disabled' })).to.eql(nothing);
  });

  it('lets an observer subscribe only', () => {
    expect(inOpen({}, {}, asks('chat', 'observer'))).to.eql({ ...everything, mayPublish: false });
  });

  it('is refused in a private app', () => {
    expect(inOpen({ config: { accessMode: 'private' } }, {})).to.eql(nothing);
  });
});

describe('admission to a topic of a room with grants', () => {
  const by = (grants: readonly Grant[], request = asks(), config: App['config'] = {}) =>
    admission(appWith({ config }), roomWith(), roomGrants(grants), request);

  it('is granted to the actor and to the type that a grant names', () => {
    expect(by([granted({ actorTokenId: 'ada' })])).to.eql(everything);
    expect(by([granted({ actorType: 'user' })])).to.eql(everything);
    expect(by([granted({ actorTokenId: 'ada' })], asks(), { accessMode: 'private' })).to.eql(everything);
  });

  it('is refused to all others, whatever the state of the grants', () => {
    for (const state of [{}, { isActive: false }, { expiresAt: '2020-01-01T00:00:00.000Z' }]) {
      expect(by([granted({ actorTokenId: 'bob', ...state })])).to.eql(nothing);
      expect(by([granted({ actorType: 'device', ...state })])).to.eql(nothing);
    }
  });

  it('covers what the permission names', () => {
    const withPermission = (permission: Grant['permission'], type: ActorType = 'user') =>
      by([granted({ actorTokenId: 'ada', permission })], asks('chat', type));
    expect(withPermission('publish')).to.eql({ ...everything, maySubscribe: false });
    expect(withPermission('subscribe')).to.eql({ ...everything, mayPublish: false });
    expect(withPermission('pubSub', 'observer')).to.eql({ ...everything, mayPublish: false });
  });

  it('covers the topics that the grant lists, and all topics where it lists none', () => {
    expect(by([granted({ actorTokenId: 'ada', topics: ['news'] })])).to.eql(nothing);
    expect(by([granted({ actorTokenId: 'ada', topics: ['news', 'chat'] })])).to.eql(everything);
    expect(by([granted({ actorTokenId: 'ada', topics: [] })])).to.eql(everything);
  });

  it('ends when the grant expires', () => {
    const expiresAt = '2026-02-01T00:00:00.000Z';
    expect(by([granted({ actorTokenId: 'ada', expiresAt })])).to.eql({
      ...everything,
      until: Date.parse(expiresAt),
    });
    expect(by([granted({ actorTokenId: 'ada', isActive: false })])).to.eql(nothing);
  });

  it('is decided by the grant of the actor, even where that of its type permits more', () => {
    const type = granted({ actorType: 'user' });
    const own = (fields: Partial<Grant>) => granted({ actorTokenId: 'ada', ...fields });
    expect(by([type, own({ isActive: false })])).to.eql(nothing);
    expect(by([type, own({ topics: ['news'] })])).to.eql(nothing);
    expect(by([own({ permission: 'publish' }), type])).to.eql({ ...everything, maySubscribe: false });
    expect(by([type, own({ expiresAt: '2020-01-01T00:00:00.000Z' })]).until).to.equal(Date.UTC(2020, 0));
  });

  describe('for any grants', () => {
    const actorIds = ['ada', 'bob', 'eve'];
    const terms = fc.record({
      permission: fc.constantFrom(...permissions),
      topics: fc.option(fc.subarray(['chat', 'news', 'webrtc:offer'])),
      expiresAt: fc.option(fc.constantFrom('2020-01-01T00:00:00.000Z', '2030-01-01T00:00:00.000Z')),
      isActive: fc.boolean(),
    });
    const holder = fc.oneof(
      fc.constantFrom(...actorIds).map((actorTokenId) => ({ actorTokenId })),
      fc.constantFrom(...actorTypes).map((actorType) => ({ actorType })),
    );
    const grants = fc.uniqueArray(
      fc.tuple(holder, terms).map(([who, what]) => granted({ ...who, ...what })),
      { selector: ({ actorTokenId, actorType }) => actorTokenId ?? actorType, minLength: 1, maxLength: 10 },
    );
    const request = fc.record({
      actorTokenId: fc.constantFrom(...actorIds),
      actorType: fc.constantFrom(...actorTypes),
      topic: fc.constantFrom('chat', 'news', 'webrtc:offer', 'absent'),
    });
    const concerns = ({ actorTokenId, actorType }: Grant, asked: ReturnType<typeof asks>) =>
      actorTokenId === asked.actorTokenId || actorType === asked.actorType;
    const stranger = granted({ actorTokenId: 'nobody' });
    const check = (holds: (all: readonly Grant[], asked: ReturnType<typeof asks>) => void) =>
      fc.assert(fc.property(grants, request, holds), { seed: 6, numRuns: 500 });

    it('no actor is admitted without a grant, or by the grants of others', () =>
      check((all, asked) => {
        expect(by(all.filter((each) => !concerns(each, asked)).concat(stranger), asked)).to.eql(nothing);
        expect(by([...all.filter((each) => concerns(each, asked)), stranger], asked)).to.eql(by(all, asked));
      }));

    it('an admission rests on one grant, which is active, lists the topic and permits it', () =>
      check((all, asked) => {
        const { mayPublish, maySubscribe, until } = by(all, asked);
        const own = all.find(({ actorTokenId }) => actorTokenId === asked.actorTokenId);
        const deciding = own ?? all.find(({ actorType }) => actorType === asked.actorType);
        const isUsable = asked.topic === 'chat' || asked.topic === 'webrtc:offer';
        const isListed = deciding?.topics?.length ? deciding.topics.includes(asked.topic) : true;
        const given = isUsable && isListed && deciding?.isActive ? deciding : undefined;
        expect(maySubscribe).to.equal(given !== undefined && given.permission !== 'publish');
        expect(mayPublish).to.equal(
          given !== undefined && given.permission !== 'subscribe' && asked.actorType !== 'observer',
        );
        if (given !== undefined) expect(until).to.equal(Date.parse(given.expiresAt ?? '') || Infinity);
      }));
  });
});

describe('the rule of an admission', () => {
  const judged = (
    grants: readonly Grant[],
    {
      from = {},
      of = {},
      request = asks(),
    }: { from?: Partial<App>; of?: Partial<Room>; request?: ReturnType<typeof asks> } = {},
  ) => judgeAdmission(appWith(from), roomWith(of), roomGrants(grants), request);
  const own = (fields: Partial<Grant> = {}) => granted({ actorTokenId: 'ada', ...fields });

  it('is the first that refuses, from the app down to the topic', () => {
    const [from, of] = [{ status: 'disabled' }, { status: 'disabled' }] as const;
    const request = asks('absent');
    for (const [rule, options] of [
      ['app_inactive', { from, of, request }],
      ['room_inactive', { of, request }],
      ['topic_not_exposed', { request }],
    ] as const)
      expect(judged([own()], options)).to.eql({ admission: nothing, rule });
  });

  it('is that the room is open, or that it is not', () => {
    expect(judged([])).to.eql({ admission: everything, rule: 'open' });
    const from: Partial<App> = { config: { accessMode: 'private' } };
    expect(judged([], { from })).to.eql({ admission: nothing, rule: 'access_mode_private' });
    expect(judged([granted({ actorTokenId: 'bob' })], { from })).to.eql({
      ...{ admission: nothing, rule: 'grant_missing' },
    });
  });

  it('is of the grant that decides, whatever it decides', () => {
    for (const [rule, grant] of [
      ['grant', own()],
      ['grant_inactive', own({ isActive: false })],
      ['grant_other_topics', own({ topics: ['news'] })],
    ] as const) {
      const result = judged([granted({ actorType: 'user' }), grant]);
      expect(result).to.eql({ admission: rule === 'grant' ? everything : nothing, rule, grant });
    }
  });
});

describe('the grants of a room', () => {
  it('are by who holds them', () => {
    const [ada, devices] = [granted({ actorTokenId: 'ada' }), granted({ actorType: 'device' })];
    const grants = roomGrants([ada, devices]);
    expect([...grants.ofActors]).to.eql([['ada', ada]]);
    expect([...grants.ofTypes]).to.eql([['device', devices]]);
  });

  it('are there as soon as anybody holds one', () => {
    for (const holder of [{ actorTokenId: 'ada' }, { actorType: 'device' }] as const)
      expect(hasGrants(roomGrants([granted(holder)]))).to.equal(true);
    expect(hasGrants(noGrants)).to.equal(false);
  });

  it('take no memory where there are none', () => {
    expect(roomGrants([])).to.equal(noGrants);
  });
});

import fc from 'fast-check';
import { expect } from 'chai';
import type { TopicConfigs } from '@roomwire/shared/domain/app';
import { matchesFilters } from '@roomwire/shared/wire/protocol/matchesFilters';
import { filterError } from '../../src/policy/filters.js';
import { PublishRate, requestRate, SlidingWindow } from '../../src/policy/rateLimits.js';
import { retentionOf } from '../../src/policy/topicConfig.js';
import { roomsOfLobby } from '../../src/presence/lobbyView.js';

type Entries = (string | string[])[];

describe('the filters of a subscription', () => {
  const sound: Record<string, Entries> = {
    none: [],
    values: ['eu', 'a b', 'ü', '*'],
    'an AND-group': [['eu', 'urgent']],
    'a hundred': Array<string>(100).fill('x'),
  };
  for (const [what, entries] of Object.entries(sound)) {
    it(`[WS-FILTER-1] may be ${what}`, () => {
      expect(filterError(entries)).to.equal(undefined);
    });
  }

  const unsound: Record<string, Entries> = {
    'an empty value': [''],
    'a slash': ['a/b'],
    'a hash': ['a#'],
    'a plus': ['+'],
    'a pipe': ['a|b'],
    'an AND-group of one': [['eu']],
    'an AND-group of none': [[]],
    'an empty value in an AND-group': [['eu', '']],
    'a forbidden character in an AND-group': [['eu', 'a/b']],
  };
  for (const [what, entries] of Object.entries(unsound)) {
    it(`[WS-FILTER-1] may not have ${what}`, () => {
      expect(filterError(['fine', ...entries])).to.equal('invalidFilterChars');
    });
  }

  it('[WS-FILTER-1] are at most a hundred, as are the values of an AND-group', () => {
    expect(filterError(Array<string>(101).fill('x'))).to.equal('tooManyFilters');
    expect(filterError([Array<string>(101).fill('x')])).to.equal('tooManyFilters');
  });

  it('[WS-FILTER-1] contain at most a thousand values in total', () => {
    const groups = Array<string[]>(10).fill(Array<string>(100).fill('x'));
    expect(filterError(groups)).to.equal(undefined);
    expect(filterError([...groups, 'x'])).to.equal('tooManyFilters');
  });
});

describe('a message and the filters of a subscription', () => {
  const filters = ['eu', ['us', 'urgent']];
  const cases: [string[], boolean][] = [
    [[], false],
    [['eu'], true],
    [['asia', 'eu'], true],
    [['us'], false],
    [['urgent'], false],
    [['urgent', 'us'], true],
    [['urgent', 'other', 'us'], true],
    [['EU'], false],
  ];
  for (const [onMessage, matches] of cases) {
    it(`[WS-FILTER-3] [${onMessage.join(', ')}] ${matches ? 'matches' : 'does not match'} eu or (us and urgent)`, () => {
      expect(matchesFilters(filters, new Set(onMessage))).to.equal(matches);
    });
  }
});

describe('how long a topic is recorded', () => {
  it('[WS-RECORD-2] follows its logging, is a week for a tier, and is zero without logging', () => {
    const of = (logging: object | undefined) => retentionOf({ news: { logging } as object }, 'news');
    for (const retention of ['1d', '7d', '30d', '90d'])
      expect(of({ enabled: true, retention })).to.equal(retention);
    expect(of({ enabled: true })).to.equal('7d');
    expect(of({ enabled: true, retention: 'tier' })).to.equal('7d');
    expect(of({ enabled: true, replayEnabled: false })).to.equal('7d');
    for (const logging of [undefined, { enabled: false }, { enabled: false, retention: '30d' }])
      expect(of(logging)).to.equal(undefined);
    expect(retentionOf({}, 'news')).to.equal(undefined);
    expect(retentionOf({}, 'constructor')).to.equal(undefined);
    const inherited = Object.create({ news: { logging: { enabled: true } } }) as TopicConfigs;
    expect(retentionOf(inherited, 'news')).to.equal(undefined);
  });
});

const app = {
  slug: 'hotel',
  config: {
    lobbies: [
      { slug: 'east', rooms: ['bar', 'room-*'] },
      { slug: 'hotel', rooms: ['bar'] },
      { slug: 'none', rooms: [] },
    ],
  },
};

const shown = (lobby: string) =>
  ['bar', 'bar-2', 'room-', 'room-1', 'room'].filter((slug) => roomsOfLobby(app, lobby)?.has(slug));

describe('the rooms of a lobby', () => {
  it('are listed, or match the pattern', () => {
    expect(shown('east')).to.deep.equal(['bar', 'room-', 'room-1']);
    expect(shown('none')).to.deep.equal([]);
  });

  it('are all of the app for the lobby of its own slug', () => {
    expect(shown('hotel')).to.have.length(5);
    expect(roomsOfLobby({ slug: 'bare', config: {} }, 'bare')?.has('any')).to.equal(true);
  });

  it('are none if the app has no such lobby', () => {
    expect(roomsOfLobby(app, 'west')).to.equal(undefined);
    expect(roomsOfLobby({ slug: 'bare', config: {} }, 'east')).to.equal(undefined);
  });
});

describe('a sliding window', () => {
  it('[WS-PUB-6] accepts the limit in a second, and the next when the first is a second old', () => {
    const window = new SlidingWindow(3, 1_000);
    for (const at of [0, 10, 999]) {
      expect(window.isFull(at)).to.equal(false);
      window.add(at);
    }
    expect(window.isFull(999.9)).to.equal(true);
    expect(window.isFull(1_000)).to.equal(false);
    window.add(1_000);
    expect(window.isFull(1_009)).to.equal(true);
    expect(window.isFull(1_010)).to.equal(false);
  });

  it('[WS-PUB-6] never accepts more than the limit in any window, and refuses nothing that fits', () => {
    const gaps = fc.array(fc.nat(700), { minLength: 1, maxLength: 100 });
    const property = fc.property(gaps, fc.integer({ min: 1, max: 8 }), (between, limit) => {
      const window = new SlidingWindow(limit, 1_000);
      const taken: number[] = [];
      let now = 0;
      for (const gap of between) {
        now += gap;
        const recent = taken.filter((at) => now - at < 1_000).length;
        expect(window.isFull(now)).to.equal(recent >= limit);
        if (window.isFull(now)) continue;
        window.add(now);
        taken.push(now);
      }
    });
    fc.assert(property);
  });
});

describe('the publishes of a connection', () => {
  it('[WS-PUB-6] are limited in any second by those that were accepted', () => {
    const rate = new PublishRate(3);
    for (const at of [0, 1, 2]) {
      expect(rate.isExceeded(at)).to.equal(false);
      rate.countAccepted(at);
    }
    expect(rate.isExceeded(999)).to.equal(true);
    expect(rate.isExceeded(1_000)).to.equal(false);
  });

  it('[WS-PUB-6] are limited in any second by four times as many that were refused', () => {
    const rate = new PublishRate(3);
    for (let refused = 0; refused < 12; refused++) {
      expect(rate.isExceeded(refused)).to.equal(false);
      rate.countRefused(refused);
    }
    expect(rate.isExceeded(999)).to.equal(true);
    expect(rate.isExceeded(1_000)).to.equal(false);
  });
});

describe('the requests of a connection', () => {
  it('are accepted for ten seconds at once, and then one at a time at the rate', () => {
    const requests = requestRate(100);
    for (let taken = 0; taken < 1_000; taken++) expect(requests.reserve(5)).to.equal(0);
    expect(requests.reserve(5)).to.equal(10);
    expect(requests.reserve(5)).to.equal(20);
    expect(requests.reserve(25)).to.equal(10);
  });

  it('are accepted at the rate, and never above it', () => {
    const requests = requestRate(100);
    for (let now = 0; now < 60_000; now += 10) expect(requests.reserve(now)).to.equal(0);
    for (let taken = 0; taken < 999; taken++) expect(requests.reserve(60_000)).to.equal(0);
    expect(requests.reserve(60_000)).to.be.within(0, 10);
    expect(requests.reserve(60_000)).to.be.above(0);
  });

  it('may be worth several', () => {
    const requests = requestRate(100);
    expect(requests.reserve(0, 900)).to.equal(0);
    expect(requests.reserve(0, 200)).to.equal(1_000);
    expect(requests.reserve(1_000, 1)).to.equal(10);
  });

  it('do not accumulate while the connection is idle', () => {
    const requests = requestRate(1);
    requests.reserve(0);
    for (let taken = 0; taken < 10; taken++) expect(requests.reserve(1e9)).to.equal(0);
    expect(requests.reserve(1e9)).to.equal(1_000);
  });
});

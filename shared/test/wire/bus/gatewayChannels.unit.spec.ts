import { encode } from '@msgpack/msgpack';
import { expect } from 'chai';
import { gatewayNews, type GatewayNews } from '../../../src/wire/bus/gatewayNews.js';
import {
  accountedPresences,
  encodeAccounted,
  presenceNews,
  type PresenceAccount,
  type PresenceNews,
} from '../../../src/wire/bus/presenceNews.js';

const gatewayId = 'g';
const report = { connections: { o: 2 }, presenceSequence: 7 };
const key = { gatewayId, sequence: 3, connection: 1, room: 'p/app/_/room', actorTokenId: 'a' };
const account: PresenceAccount = {
  ...{ kind: 'account', gatewayId, to: ['h', 'i'], account: 2, part: 1, from: 4, room: 'p/app/_/room' },
  presences: encodeAccounted([
    { connection: 1, actorTokenId: 'a', presence: Uint8Array.of(0x80), joinedAt: 1, rank: 2 },
  ]),
};
const put = { ...key, presence: Uint8Array.of(0x80), joinedAt: 1, rank: 2 };

describe('news of gateways on the bus', () => {
  const all: GatewayNews[] = [
    { kind: 'beat', gatewayId, number: 1, report },
    { kind: 'hello', gatewayId },
    { kind: 'hello', gatewayId, report: { ...report, readsAccounts: true, takesLeases: true } },
    { kind: 'goodbye', gatewayId },
    { kind: 'ask', gatewayId, to: 'h' },
    { kind: 'ask', gatewayId, to: 'h', report },
    { kind: 'state', gatewayId, from: 5, upTo: 4 },
    { kind: 'account', gatewayId, to: ['h'], account: 1, parts: 0, from: 5 },
    {
      kind: 'leases',
      gatewayId,
      statements: [
        { key: 'connections/o', held: 2 },
        { key: 'connections/o', held: 2, claim: { number: 7, upTo: 3 }, asks: true },
        {
          ...{ key: 'messages/p/2026-01', held: 0, claim: { number: 8, upTo: 3, isRepeated: true } },
          answers: [{ gatewayId: 'h', number: 4 }],
        },
      ],
    },
  ];
  for (const news of all) {
    it(`is encoded and decoded without loss: ${JSON.stringify(news)}`, () => {
      expect(gatewayNews.codec.decode(gatewayNews.codec.encode(news))).to.deep.equal(news);
    });
  }

  it('may carry report fields that this program does not know', () => {
    const more = { ...report, later: [1] };
    const bytes = encode([1, { kind: 'beat', gatewayId, number: 1, report: more }]);
    expect(gatewayNews.codec.decode(bytes)).to.deep.nested.include({ 'report.later': [1] });
  });

  for (const [what, record] of Object.entries({
    'a later version': [2, { kind: 'hello', gatewayId }],
    'a kind of a later program': [1, { kind: 'toString', gatewayId }],
    'a beat without a report': [1, { kind: 'beat', gatewayId, number: 1 }],
    'a lease without a number': [1, { kind: 'leases', gatewayId, statements: [{ key: 'k' }] }],
    'a state without numbers': [1, { kind: 'state', gatewayId, from: '1', upTo: 2 }],
    'something else': 7,
  })) {
    it(`is not read from ${what}`, () => {
      expect(() => gatewayNews.codec.decode(encode(record))).to.throw('Not news of a gateway');
    });
  }
});

describe('presence news on the bus', () => {
  const all: PresenceNews[] = [
    { kind: 'enter', ...put },
    { kind: 'change', ...put },
    { kind: 'again', ...put },
    { kind: 'leave', ...key },
    account,
  ];
  for (const news of all) {
    it(`is encoded and decoded without loss: ${news.kind}`, () => {
      expect(presenceNews.codec.decode(presenceNews.codec.encode(news))).to.deep.equal(news);
    });
  }

  it('has the presences of an account, encoded within it', () => {
    const { connection, actorTokenId, presence, joinedAt, rank } = put;
    expect(accountedPresences(account)).to.deep.equal([
      { connection, actorTokenId, presence, joinedAt, rank },
    ]);
    const presences = encode([[1, 'a', 'text', 1, 1]]);
    expect(() => accountedPresences({ ...account, presences })).to.throw('Not presences of an account');
  });

  it('is keyed by its room', () => {
    expect(presenceNews.key(account)).to.equal('p/app/_/room');
    expect(presenceNews.key({ kind: 'leave', ...key })).to.equal('p/app/_/room');
  });

  for (const [what, record] of Object.entries({
    'a change of a later version': [2, 'leave', 'g', 1, 1, 'r', 'a'],
    'an account of an earlier version': [1, 'account', 'g', ['h'], 1, 1, 1, 'r', Uint8Array.of(0x90)],
    'another kind': [1, 'vanish', 'g', 1, 1, 'r', 'a'],
    'a put without a presence': [1, 'enter', 'g', 1, 1, 'r', 'a', null, 1, 1],
    'a short record': [1, 'leave', 'g'],
    'something else': { room: 'r' },
  })) {
    it(`is not read from ${what}`, () => {
      expect(() => presenceNews.codec.decode(encode(record))).to.throw('Not presence news');
    });
  }
});

import { expect } from 'chai';
import { factsOf, rowsOf } from '../../../../src/adapters/connection-record/files/factRows.js';
import { fieldsOfFacts, type ConnectionFact } from '../../../../src/wire/bus/connectionFacts.js';

const at = Date.parse('2026-05-01T12:00:00.000Z');
const of = { connection: 'c1', at };
const place = { epoch: 1, offset: 7 };
const wishes = {
  filters: ['eu', ['a', 'b']],
  filtersLeftOut: true,
  own: true,
  group: 'g',
  jobs: true,
  replays: true,
} as const;
const topic = 'p/shop/_/hall/chat';
const plain = {
  ...{ organizationId: 'o1', projectId: 'p1', actorTokenId: 'a1', keyId: 'k', actorType: 'user' },
  ...{ mark: 'm', address: '::1', connectedAt: at - 5 },
};
const holder = { ...plain, scope: 'eu', narrowed: true, sdk: 'js/1.2.0' } as const;

/** One of each kind, with every field that it may have. */
const full: readonly ConnectionFact[] = [
  { ...of, kind: 'authenticated', ...holder },
  { ...of, kind: 'renewed', scope: 'us', narrowed: true },
  { ...of, kind: 'subscribed', topic, place, ...wishes },
  { ...of, kind: 'changed', topic, place, ...wishes },
  { ...of, kind: 'replayed', topic, place, first: { epoch: 1, offset: 2 } },
  { ...of, kind: 'unsubscribed', topic, place, reason: 'client', rule: 'grant_missing' },
  { ...of, kind: 'slow', since: at - 1, bytes: 3, places: { 'p/shop/_/hall': place } },
  { ...of, kind: 'closed', code: 1000, reason: '', by: 'client', places: { 'p/shop/_/hall': place } },
  { ...of, kind: 'handedOut', topic, place, group: 'g', messageId: 'x', delivery: 1 },
  { ...of, kind: 'standing', ...holder, subscriptions: [{ topic, place, ...wishes }] },
];

/** Without what may be missing, and with null where that may be. */
const bare: readonly ConnectionFact[] = [
  { ...of, kind: 'authenticated', ...plain, scope: null },
  { ...of, at: at - 1, connection: 'c2', kind: 'renewed', scope: null },
  { ...of, at: at + 1, kind: 'subscribed', topic },
  { ...of, kind: 'replayed', topic },
  { ...of, kind: 'unsubscribed', topic, reason: 'client' },
  { ...of, kind: 'closed', code: 1006, reason: '', by: 'gateway', places: {} },
];

describe('facts in rows', () => {
  const written = (facts: readonly (ConnectionFact | null)[]) =>
    factsOf(JSON.parse(JSON.stringify(rowsOf(facts))) as ReturnType<typeof rowsOf>);

  it('are the same when they are read', () => {
    for (const fact of [...full, ...bare]) expect(written([fact]), fact.kind).to.eql([fact]);
    const all = [null, ...full, null, ...bare, null];
    expect(written(all)).to.eql(all);
    expect(written([])).to.eql([]);
  });

  it('keep every field of every kind', () => {
    expect(full.map(({ kind }) => kind)).to.have.members([...fieldsOfFacts.keys()]);
    for (const { kind, ...fields } of full)
      expect(Object.keys(fields), kind).to.have.members([...(fieldsOfFacts.get(kind) ?? [])]);
  });

  it('leave out a field that has no value, as JSON does', () =>
    expect(written([{ ...of, kind: 'subscribed', topic, own: undefined, group: 'g' }])).to.eql([
      { ...of, kind: 'subscribed', topic, group: 'g' },
    ]));

  it('say once what many have in common', () => {
    const many = Array.from({ length: 100 }, () => full).flat();
    const size = JSON.stringify(rowsOf(many)).length;
    expect(size).to.be.below(JSON.stringify(many).length / 2);
  });

  it('are read by the names of their fields, also of those that nobody knows any more', () => {
    const rows = { kinds: [['left', ['mood', 'connection', 'at']]] as const, shared: ['c1'], from: at };
    expect(factsOf({ ...rows, rows: [[0, 'fine', 0, 2]] })).to.eql([
      { kind: 'left', mood: 'fine', connection: 'c1', at: at + 2 },
    ]);
  });
});

import { expect } from 'chai';
import type { GroupRecordOf, HeldMessage } from '@roomwire/shared/wire/bus/groupRecord';
import type { LiveMessage } from '@roomwire/shared/wire/bus/liveMessage';
import type { GroupSnapshot } from '../../../src/groups/machine/groupState.js';
import { CatchUp, chunked, chunkedIds, snapshotParts } from '../../../src/groups/machine/snapshot.js';
import { messageOf, room, topic } from '../../support/groupNode.js';

const maxBytes = 512 * 1024;
const sized = (id: string, bytes: number): LiveMessage => messageOf(id, { body: new Uint8Array(bytes) });
const many = (count: number): LiveMessage[] => Array.from({ length: count }, (_, n) => sized(`m${n}`, 1));
const ids = (messages: readonly LiveMessage[]): readonly string[] => messages.map(({ id }) => id);

describe('the parts of a list of messages', () => {
  const sizes = (...bytes: readonly number[]) =>
    chunked(
      bytes.map((size, n) => sized(`${n}`, size)),
      (message) => message,
    ).map((part) => part.map(({ body }) => body.length));

  it('are none of none', () => {
    expect(sizes()).to.eql([]);
  });

  it('have as many bytes as fit into a record, or a single message', () => {
    expect(sizes(1, 2, 3)).to.eql([[1, 2, 3]]);
    expect(sizes(maxBytes - 1, 1, 1)).to.eql([[maxBytes - 1, 1], [1]]);
    expect(sizes(maxBytes, 1)).to.eql([[maxBytes], [1]]);
    expect(sizes(1, maxBytes + 1, 1, 1)).to.eql([[1], [maxBytes + 1], [1, 1]]);
    expect(sizes(maxBytes, maxBytes - 1, 1, 1)).to.eql([[maxBytes], [maxBytes - 1, 1], [1]]);
  });

  it('have a thousand messages or ids at most', () => {
    const parts = chunked(many(2_001), (message) => message);
    expect(parts.map(({ length }) => length)).to.eql([1_000, 1_000, 1]);
    const ofIds = chunkedIds(ids(many(2_001)));
    expect(ofIds.map(({ length }) => length)).to.eql([1_000, 1_000, 1]);
    expect(ofIds.flat()).to.eql(ids(many(2_001)));
    expect(chunkedIds(ids(many(1_000)))).to.have.length(1);
    expect(chunkedIds([])).to.eql([]);
  });
});

const known = {
  ...{ number: 1, actorTokenId: 'ann', filters: undefined, acks: true, isPersistent: false },
  ...{ gatewayId: 'a', turn: 3 },
};
const snapshot = (...held: readonly HeldMessage[]): GroupSnapshot => ({
  ...{ members: [known], awaiting: ['b'], held, isWaking: true, collects: true, floorMs: 5, passed: ['p'] },
});
const held = (messages: readonly LiveMessage[]): readonly HeldMessage[] =>
  messages.map((message) => [message, ['a', 1]]);

const large = [sized('l1', maxBytes), sized('l2', maxBytes), sized('l3', maxBytes)];

describe('the parts of a snapshot', () => {
  it('are one where the messages fit into it, also where there are none', () => {
    for (const messages of [[], many(3)]) {
      const whole = snapshot(...held(messages));
      expect(snapshotParts(whole)).to.eql([{ ...whole, part: 0, parts: 1 }]);
    }
  });

  it('have what is not a message in the first one alone', () => {
    const whole = snapshot(...held(large));
    const others = { ...whole, members: [], awaiting: [], passed: [] };
    expect(snapshotParts(whole)).to.eql([
      { ...whole, part: 0, parts: 3, held: held(large.slice(0, 1)) },
      { ...others, part: 1, parts: 3, held: held(large.slice(1, 2)) },
      { ...others, part: 2, parts: 3, held: held(large.slice(2)) },
    ]);
  });
});

const bounds = { messages: 3, bytes: 100 };

const record = (gatewayId: string, ref: number): GroupRecordOf<'check'> => ({
  ...{ kind: 'check', room, topic, group: 'g', gatewayId, ref },
});

const partsOf = (
  whole: GroupSnapshot,
  after: readonly [string, number] = ['a', 1],
  gatewayId = 'a',
): readonly GroupRecordOf<'state'>[] =>
  snapshotParts(whole).map((part, ref) => ({
    ...{ kind: 'state', room, topic, group: 'g', gatewayId, ref, to: 'b', after: [...after] },
    ...part,
  }));

describe('a gateway that catches up with a group', () => {
  const whole = snapshot(...held(large));
  const complete = (given: readonly (GroupRecordOf<'state'> | undefined)[]): boolean => {
    const catchUp = new CatchUp(bounds, () => undefined);
    for (const each of [record('a', 1), record('a', 2), record('b', 1)]) catchUp.buffer.add(each);
    return given.map((part) => part && catchUp.addPart(part)).at(-1) !== undefined;
  };

  it('continues from a snapshot with what it has read since', () => {
    const catchUp = new CatchUp(bounds, () => undefined);
    const since = [sized('m2', 1), record('a', 2)];
    for (const each of [sized('m1', 1), record('b', 1), record('a', 1), ...since]) catchUp.buffer.add(each);
    const [first, second, third] = partsOf(whole) as [
      ...[GroupRecordOf<'state'>, GroupRecordOf<'state'>, GroupRecordOf<'state'>],
    ];
    expect([catchUp.addPart(first), catchUp.addPart(second)]).to.eql([undefined, undefined]);
    const caughtUp = catchUp.addPart(third);
    expect(caughtUp?.since).to.eql(since);
    expect(caughtUp?.snapshot).to.deep.include(whole);
  });

  it('needs every part of one snapshot, in their order', () => {
    const [first, second, third] = partsOf(whole);
    expect(complete([first, second, third])).to.equal(true);
    for (const parts of [
      [second, third],
      [first, third],
      [first, third, second],
      [first, second, second],
      [second, second, third],
      [first, second, first, third],
    ])
      expect(complete(parts)).to.equal(false);
    // It was sent again.
    expect(complete([first, second, first, second, third])).to.equal(true);
  });

  it('does not mix the parts of two snapshots', () => {
    const [first, second, third] = partsOf(whole);
    for (const [after, gatewayId] of [
      [['a', 2], 'a'],
      [['b', 1], 'a'],
      [['a', 1], 'b'],
    ] as const) {
      const [, , other] = partsOf(whole, after, gatewayId);
      expect(complete([first, second, other])).to.equal(false);
      // What was interrupted is not continued.
      expect(complete([first, second, other, third])).to.equal(false);
    }
  });

  it('takes another snapshot after one', () => {
    const catchUp = new CatchUp(bounds, () => undefined);
    catchUp.buffer.add(record('a', 1));
    const [only] = partsOf(snapshot(...held(many(2)))) as [GroupRecordOf<'state'>];
    for (let time = 0; time < 2; time++) expect(catchUp.addPart(only)?.snapshot.held).to.eql(held(many(2)));
  });

  it('cannot use a snapshot of before it began to read', () => {
    const catchUp = new CatchUp(bounds, () => undefined);
    catchUp.buffer.add(sized('m1', 1));
    catchUp.buffer.add(record('a', 1));
    for (const after of [
      ['a', 0],
      ['b', 1],
    ] as const)
      for (const part of partsOf(snapshot(), after)) expect(catchUp.addPart(part)).to.equal(undefined);
  });
});

import { expect } from 'chai';
import type { HistoryTopic, HistoryView, KeptMessage } from '@roomwire/shared/ports/history';
import { limitTable } from '@roomwire/shared/wire/limits/limitTable';
import { positionOf } from '@roomwire/shared/wire/protocol/position';
import { findAt, findById, mostMessages } from '../../src/trace/findMessages.js';

const topic: HistoryTopic = { room: 'p/app/_/room', roomId: 'r', accessScopeId: null, name: 'chat' };
const bounds = { seconds: 86_400, messages: 100_000 };
const now = Date.UTC(2026, 0, 1);
const accepted = now - 1_000;

/** The id of a message as gateways make it, with one that its publisher gave. */
const idOf = (n: number, given?: string): string => {
  const own = `${accepted.toString(36).padStart(9, '0')}${n.toString(36).padStart(4, '0')}.gate`;
  return given === undefined ? own : `${own}~${given}`;
};

const kept = (offset: number, id: string): KeptMessage => ({
  ...{ place: { epoch: 1, offset }, ordinal: offset, latestAt: accepted },
  message: {
    ...{ id, room: topic.room, topic: `${topic.room}/chat`, projectId: 'p', publisher: '', qos: 1 },
    ...{ filters: ['eu'], body: new Uint8Array(10), retention: undefined },
  },
});

/** Pages of a hundred. */
const viewOf = (messages: readonly KeptMessage[]): HistoryView => {
  const pages = async function* (all: readonly KeptMessage[]): AsyncGenerator<readonly KeptMessage[]> {
    for (let at = 0; at < all.length; at += 100) yield all.slice(at, at + 100);
  };
  const gone = { removedTo: undefined, deletedTo: undefined };
  return {
    ...{ ...gone, epoch: 1, upTo: messages.length, newest: messages.at(-1), removals: async () => gone },
    newestFirst: () => pages(messages.toReversed()),
    oldestFirst: (after) => pages(messages.filter(({ place }) => place.offset > (after?.offset ?? -1))),
  };
};

describe('the messages that a trace is asked of', () => {
  it('are all that have the id, given or made, the newest first', async () => {
    const view = viewOf([
      kept(1, idOf(1, 'a')),
      kept(2, idOf(2, 'b')),
      kept(3, idOf(3, 'a')),
      kept(4, idOf(4)),
    ]);
    const found = await findById(view, bounds, 'a', now);
    expect(found.messages.map(({ place, id }) => [place?.offset, id])).to.eql([
      [3, 'a'],
      [1, 'a'],
    ]);
    expect(found).to.include({ missing: undefined, examined: 4, hasMore: false });
    const made = await findById(view, bounds, idOf(4), now);
    expect(made.messages.map(({ at, filters }) => ({ at, filters }))).to.eql([
      { at: accepted, filters: ['eu'] },
    ]);
  });

  it('are not found where there are none, and where nobody looks further back', async () => {
    const some = Array.from({ length: limitTable.traceExamined.value }, (_, n) => kept(n + 2, idOf(n)));
    expect(await findById(viewOf(some), bounds, 'a', now)).to.include({
      missing: 'not_found',
      hasMore: false,
    });
    const more = viewOf([kept(1, idOf(1, 'a')), ...some]);
    expect(await findById(more, bounds, 'a', now)).to.include({
      ...{ missing: 'search_limit', examined: limitTable.traceExamined.value, hasMore: true },
    });
    const many = viewOf(Array.from({ length: mostMessages + 1 }, (_, n) => kept(n + 1, idOf(n, 'a'))));
    const found = await findById(many, bounds, 'a', now);
    expect([found.messages.length, found.hasMore, found.missing]).to.eql([mostMessages, true, undefined]);
  });

  it('are only those that the topic shows', async () => {
    const view = viewOf([kept(1, idOf(1, 'a')), kept(2, idOf(2, 'b'))]);
    expect((await findById(view, { ...bounds, messages: 1 }, 'a', now)).missing).to.equal('not_found');
    const late = now + bounds.seconds * 1_000;
    expect((await findById(view, bounds, 'b', late)).missing).to.equal('not_found');
    const position = positionOf(topic, { epoch: 1, offset: 1 });
    expect((await findAt(topic, view, { ...bounds, messages: 1 }, { position, now })).missing).to.equal(
      'not_found',
    );
  });

  it('are the one at a position, and none beside it', async () => {
    const view = viewOf([kept(1, idOf(1)), kept(4, idOf(4))]);
    const at = async (position: string) => {
      const { messages, missing } = await findAt(topic, view, bounds, { position, now });
      return messages[0]?.place?.offset ?? missing;
    };
    expect(await at(positionOf(topic, { epoch: 1, offset: 4 }))).to.equal(4);
    for (const place of [
      { epoch: 1, offset: 2 },
      { epoch: 1, offset: 9 },
      { epoch: 1, offset: 4, isDeletion: true as const },
    ])
      expect(await at(positionOf(topic, place))).to.equal('not_found');
    expect(await at(positionOf({ ...topic, name: 'other' }, { epoch: 1, offset: 4 }))).to.equal('not_found');
    expect(await at('nonsense')).to.equal('not_found');
  });
});

import { placeOfDeletion } from '@roomwire/shared/history/boundedView';
import { expect } from 'chai';
import { encode } from '@msgpack/msgpack';
import { messageBody, messageHead } from '@roomwire/shared/wire/protocol/encodeFrames';
import type { LiveMessage } from '@roomwire/shared/wire/bus/liveMessage';
import { acceptedAt } from '@roomwire/shared/wire/bus/messageId';
import { comparePlaces, positionOf } from '@roomwire/shared/wire/protocol/position';
import type { StartPoint } from '@roomwire/shared/wire/protocol/startPoint';
import { historyTopic as topic, MemoryRecord } from '@roomwire/testing/fakes/memoryRecord';
import { seededChance } from '@roomwire/testing/run/seededChance';
import { select } from '../../src/history/selection.js';

const now = 1_790_000_000_000;
const bounds = { seconds: 1_000, messages: 100_000 };
const everything = (): boolean => true;
const head = messageHead('app/room/chat');
const bodyOf = (bytes: number): Uint8Array => messageBody(head, encode(new Uint8Array(bytes)));

const recordOf = (count: number): MemoryRecord => {
  const record = new MemoryRecord();
  for (let n = 1; n <= count; n++) record.add(now - count + n);
  return record;
};

const replay = async (
  record: MemoryRecord,
  from: StartPoint,
  matches: (message: LiveMessage) => boolean = everything,
  within = bounds,
) => {
  const selection = await select({ topic, bounds: within }, record.view(400), from, matches, now);
  return { ...selection, numbers: selection.messages.map(({ ordinal }) => ordinal) };
};

/** Of a message of the record, by its number. */
const position = (record: MemoryRecord, ordinal: number): string =>
  positionOf(topic, record.kept.find((kept) => kept.ordinal === ordinal)?.place ?? { epoch: 0, offset: 0 });

const range = (first: number, last: number): number[] =>
  Array.from({ length: last - first + 1 }, (_, n) => first + n);

describe('what a subscription begins with', () => {
  it('[WS-HIST-4] is what comes behind a position', async () => {
    const record = recordOf(9);
    expect(await replay(record, { position: position(record, 4) })).to.deep.include({
      continuity: 'continuous',
      gap: undefined,
      numbers: [5, 6, 7, 8, 9],
    });
    expect((await replay(record, { position: position(record, 9) })).numbers).to.deep.equal([]);
    expect((await replay(record, { position: '' })).numbers).to.deep.equal(range(1, 9));
  });

  it('[WS-HIST-4] is the newest messages that are the subscriber’s, or those from a time on', async () => {
    const record = recordOf(9);
    const isEven = ({ id }: LiveMessage): boolean => acceptedAt(id) % 2 === now % 2;
    expect(await replay(record, { last: 3 }, isEven)).to.deep.include({
      continuity: 'fresh',
      gap: undefined,
      numbers: [5, 7, 9],
    });
    expect((await replay(record, { last: 0 })).numbers).to.deep.equal([]);
    expect((await replay(record, { last: 50 })).numbers).to.deep.equal(range(1, 9));
    expect(await replay(record, { since: now - 2 })).to.deep.include({
      continuity: 'fresh',
      numbers: [7, 8, 9],
    });
    expect((await replay(record, { since: now + 1 })).numbers).to.deep.equal([]);
  });

  it('[WS-HIST-4] begins, from a time on, at the first of the order and not at the earliest', async () => {
    const record = new MemoryRecord();
    for (const at of [now - 9, now - 2, now - 7, now - 8, now]) record.add(at);
    expect((await replay(record, { since: now - 8 })).numbers).to.deep.equal([2, 3, 4, 5]);
  });

  it('[WS-HIST-8] [WS-HIST-5] is a thousand messages at most, and says what is beyond', async () => {
    const record = recordOf(1_005);
    const gap = { reason: 'limit', after: position(record, 4), before: position(record, 6) };
    expect(await replay(record, { position: position(record, 4) })).to.deep.include({
      continuity: 'gap',
      gap,
      numbers: range(6, 1_005),
    });
    expect(await replay(record, { position: position(record, 5) })).to.deep.include({
      continuity: 'continuous',
      gap: undefined,
    });
    expect(await replay(record, { last: 1_000 })).to.deep.include({ continuity: 'fresh', gap: undefined });
    expect((await replay(record, { since: 0 })).numbers).to.deep.equal(range(6, 1_005));
  });

  it('[WS-HIST-8] is 4 MiB of data at most', async () => {
    const record = new MemoryRecord();
    const mebibyte = 1024 * 1024;
    const data = [mebibyte, mebibyte, mebibyte, mebibyte - 22, 0];
    for (const [n, bytes] of data.entries()) record.add(now + n, { body: bodyOf(bytes) });
    expect((await replay(record, { position: '' })).numbers).to.deep.equal([1, 2, 3, 4, 5]);
    record.add(now + 9, { body: bodyOf(100) });
    expect(await replay(record, { position: '' })).to.deep.include({
      continuity: 'gap',
      gap: { reason: 'limit', after: '', before: position(record, 2) },
      numbers: [2, 3, 4, 5, 6],
    });
  });

  it('[WS-HIST-8] is found among the newest ten thousand, whatever the filters say', async () => {
    const record = recordOf(10_002);
    const isFirst = ({ id }: LiveMessage): boolean => acceptedAt(id) === now - 10_001;
    expect(await replay(record, { position: position(record, 2) }, isFirst)).to.deep.include({
      continuity: 'continuous',
      numbers: [],
    });
    expect(await replay(record, { position: position(record, 1) }, isFirst)).to.deep.include({
      gap: { reason: 'limit', after: position(record, 1) },
      numbers: [],
    });
    expect((await replay(record, { last: 1 }, isFirst)).numbers).to.deep.equal([]);
  });

  it('[WS-HIST-5] is continuous behind a position that has expired and behind which nothing has', async () => {
    const record = recordOf(9);
    const positions = range(1, 9).map((ordinal) => position(record, ordinal));
    const within = { seconds: 1_000, messages: 4 };
    for (const isRemoved of [false, true]) {
      if (isRemoved) record.remove(5);
      expect(await replay(record, { position: positions[4] as string }, everything, within)).to.deep.include({
        continuity: 'continuous',
        numbers: [6, 7, 8, 9],
      });
      expect(await replay(record, { position: positions[3] as string }, everything, within)).to.deep.include({
        continuity: 'gap',
        gap: { reason: 'expired', after: positions[3], before: positions[5] },
        numbers: [6, 7, 8, 9],
      });
    }
  });

  it('[WS-HIST-13] is a gap behind every position of before a deletion, the newest too', async () => {
    const record = recordOf(3);
    const positions = ['', ...range(1, 3).map((ordinal) => position(record, ordinal))];
    record.delete();
    record.add(now);
    for (const earlier of positions)
      expect(await replay(record, { position: earlier })).to.deep.include({
        gap: { reason: 'expired', after: earlier, before: position(record, 4) },
        numbers: [4],
      });
    const deletion = positionOf(topic, placeOfDeletion(record.deletedTo) ?? { epoch: 0, offset: 0 });
    expect(await replay(record, { position: deletion })).to.deep.include({
      continuity: 'continuous',
      numbers: [4],
    });
  });

  it('[WS-HIST-5] is what `last: 1000` gives for a position that is not known', async () => {
    const record = recordOf(1_003);
    const places = [
      { epoch: 999, offset: 3 },
      { epoch: 1_000, offset: 99_999 },
    ];
    const foreign = positionOf({ ...topic, roomId: 'former room' }, { epoch: 1_000, offset: 3 });
    for (const unknown of [foreign, 'x', ...places.map((place) => positionOf(topic, place))])
      expect(await replay(record, { position: unknown })).to.deep.include({
        continuity: 'gap',
        gap: { reason: 'unknown', before: position(record, 4) },
        numbers: range(4, 1_003),
      });
  });

  it('[WS-HIST-5] is a gap where messages are removed while it is read', async () => {
    const record = recordOf(5);
    const from = { position: position(record, 1) };
    const view = record.view();
    record.kept.splice(1, 1);
    const selection = await select(
      { topic, bounds },
      { ...view, newestFirst: record.view().newestFirst },
      from,
      everything,
      now,
    );
    expect(selection.gap?.reason).to.equal('expired');
  });

  it('[WS-HIST-5] is a gap where the oldest messages are removed while it is read', async () => {
    const remove = [(record: MemoryRecord) => record.remove(3), (record: MemoryRecord) => record.delete()];
    for (const removeSome of remove)
      for (const from of ['', position(recordOf(5), 1)]) {
        const record = recordOf(5);
        const view = record.view();
        removeSome(record);
        const { newestFirst } = record.view();
        const selection = await select(
          { topic, bounds },
          { ...view, newestFirst },
          { position: from },
          everything,
          now,
        );
        expect(selection.gap?.reason).to.equal('expired');
      }
  });

  it('[WS-HIST-5] never says that nothing is missing where something is', async () => {
    const chance = seededChance(29);
    for (let round = 0; round < 300; round++) {
      const record = new MemoryRecord();
      const all: { readonly ordinal: number; readonly position: string; readonly at: number }[] = [];
      const within = { seconds: 1 + chance.below(40), messages: 1 + chance.below(30) };
      for (let step = 0; step < 40; step++) {
        const dice = chance.below(20);
        if (dice === 0) record.delete();
        else if (dice === 1) record.remove(chance.below(record.kept.length + 1));
        else {
          const at = now - 50_000 + chance.below(50_000);
          const { ordinal, place } = record.add(at);
          all.push({ ordinal, at, position: positionOf(topic, place) });
        }
      }
      const isThere = ({ ordinal, at }: { ordinal: number; at: number }): boolean =>
        record.kept.some((kept) => kept.ordinal === ordinal) &&
        ordinal > all.length - within.messages &&
        at >= now - within.seconds * 1_000;
      for (const from of all) {
        const behind = all.filter(({ ordinal }) => ordinal > from.ordinal);
        const { continuity, numbers } = await replay(record, from, everything, within);
        expect(numbers).to.deep.equal(behind.filter(isThere).map(({ ordinal }) => ordinal));
        const place = record.kept.find(({ ordinal }) => ordinal === from.ordinal)?.place;
        const wasDeleted =
          record.deletedTo !== undefined &&
          (place === undefined || comparePlaces(place, record.deletedTo) <= 0);
        if (behind.every(isThere) && !wasDeleted) expect(continuity).to.equal('continuous');
        if (!behind.every(isThere)) expect(continuity).to.equal('gap');
      }
    }
  });
});

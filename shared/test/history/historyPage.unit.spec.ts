import { expect } from 'chai';
import { readPage, type PageRequest } from '../../src/history/historyPage.js';
import type { HistoryBounds } from '../../src/domain/topicHistory.js';
import type { KeptMessage } from '../../src/ports/history.js';
import { positionOf } from '../../src/wire/protocol/position.js';
import { historyTopic as topic, MemoryRecord } from '@roomwire/testing/fakes/memoryRecord';

const now = 1_790_000_000_000;
const bounds: HistoryBounds = { seconds: 100, messages: 1_000 };

const recordOf = (count: number): MemoryRecord => {
  const record = new MemoryRecord();
  for (let n = 1; n <= count; n++) record.add(now - 1_000 * (count - n));
  return record;
};

const read = async (record: MemoryRecord, request: Partial<PageRequest>, within = bounds) => {
  const page = await readPage(topic, record.view(), within, { limit: 100, maxBytes: 1e6, ...request }, now);
  return { ...page, numbers: page.messages.map(({ ordinal }) => ordinal) };
};

const positionIn = (record: MemoryRecord, ordinal: number): string =>
  positionOf(topic, (record.kept.find((kept) => kept.ordinal === ordinal) as KeptMessage).place);

describe('a page of a history', () => {
  it('[WS-HIST-12] has the newest first, and what is before it under `next`', async () => {
    const record = recordOf(7);
    const first = await read(record, { limit: 3 });
    expect(first.numbers).to.deep.equal([7, 6, 5]);
    const second = await read(record, { limit: 3, before: first.next });
    expect(second.numbers).to.deep.equal([4, 3, 2]);
    const third = await read(record, { limit: 3, before: second.next });
    expect(third).to.include({ next: undefined, gap: undefined });
    expect(third.numbers).to.deep.equal([1]);
  });

  it('[WS-HIST-12] has the oldest first behind `after`, whose empty text is the beginning', async () => {
    const record = recordOf(5);
    const first = await read(record, { limit: 2, after: '' });
    expect(first).to.include({ gap: undefined });
    expect(first.numbers).to.deep.equal([1, 2]);
    expect((await read(record, { limit: 3, after: first.next })).numbers).to.deep.equal([3, 4, 5]);
    expect((await read(record, { limit: 3, after: first.next })).next).to.equal(undefined);
    expect((await read(record, { after: positionIn(record, 5) })).numbers).to.deep.equal([]);
  });

  it('[WS-HIST-1] shows what the bounds of the topic hold, although more is kept', async () => {
    const record = recordOf(8);
    expect((await read(record, {}, { seconds: 100, messages: 3 })).numbers).to.deep.equal([8, 7, 6]);
    expect((await read(record, {}, { seconds: 4, messages: 100 })).numbers).to.deep.equal([8, 7, 6, 5, 4]);
  });

  it('[WS-HIST-1] hides an old message behind a newer one, whichever clocks they had', async () => {
    const record = new MemoryRecord();
    for (const at of [now - 1_000, now - 500_000, now - 2_000]) record.add(at);
    expect((await read(record, {})).numbers).to.deep.equal([3, 1]);
  });

  it('[WS-HIST-5] says that something is missing behind a position, whether it is hidden, removed or deleted', async () => {
    const record = recordOf(8);
    const [second, third] = [positionIn(record, 2), positionIn(record, 3)];
    const within = { seconds: 100, messages: 5 };
    expect((await read(record, { after: third }, within)).gap).to.equal(undefined);
    const before = positionIn(record, 4);
    const gap = { reason: 'expired', after: second, before };
    expect((await read(record, { after: second }, within)).gap).to.deep.equal(gap);
    record.remove(3);
    expect((await read(record, { after: second })).gap).to.deep.equal(gap);
    expect((await read(record, { after: third })).gap).to.equal(undefined);
    expect((await read(record, { after: '' })).gap).to.deep.equal({ ...gap, after: '' });
    const newest = positionIn(record, 8);
    record.delete();
    expect(await read(record, { after: newest })).to.deep.include({
      numbers: [],
      gap: { reason: 'expired', after: newest },
    });
    const deletion = positionOf(topic, { epoch: record.epoch, offset: 24, isDeletion: true });
    expect(deletion > newest).to.equal(true);
    expect((await read(record, { after: deletion })).gap).to.equal(undefined);
    record.add(now);
    expect(await read(record, { after: deletion })).to.deep.include({ numbers: [9], gap: undefined });
  });

  it('[WS-HIST-5] begins at the end of what there is for a position that was never given', async () => {
    const record = recordOf(3);
    const foreign = positionOf({ ...topic, name: 'news' }, { epoch: 1_000, offset: 3 });
    expect(await read(record, { after: foreign })).to.deep.include({
      numbers: [1, 2, 3],
      gap: { reason: 'unknown', before: positionIn(record, 1) },
    });
    expect(await read(record, { before: foreign })).to.deep.include({
      numbers: [3, 2, 1],
      gap: { reason: 'unknown' },
    });
  });

  it('[WS-HIST-5] says that something is missing that was removed while it was read', async () => {
    const record = recordOf(5);
    const view = record.view();
    record.remove(2);
    const { oldestFirst } = record.view();
    const request = { after: '', limit: 100, maxBytes: 1e6 };
    const { messages, gap } = await readPage(topic, { ...view, oldestFirst }, bounds, request, now);
    expect(messages.map(({ ordinal }) => ordinal)).to.deep.equal([3, 4, 5]);
    expect(gap?.reason).to.equal('expired');
  });

  it('[WS-HIST-12] ends before it is too large, and has one message in any case', async () => {
    const record = new MemoryRecord();
    for (let n = 0; n < 4; n++) record.add(now, { body: new Uint8Array(400) });
    const page = await read(record, { maxBytes: 1_000 });
    expect(page.numbers).to.deep.equal([4, 3]);
    expect((await read(record, { maxBytes: 1_000, before: page.next })).numbers).to.deep.equal([2, 1]);
    expect((await read(record, { maxBytes: 10 })).numbers).to.deep.equal([4]);
  });
});

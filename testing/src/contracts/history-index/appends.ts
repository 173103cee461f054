import { expect } from 'chai';
import type { IndexedRecord } from '@roomwire/shared/ports/historyIndex';
import { historyOf } from '@roomwire/shared/domain/topicHistory';
import type { HistoryIndexSetting } from './historyIndexUnderTest.js';
import {
  appendAll,
  epoch,
  gathered,
  historyTopic,
  idAt,
  kept,
  offsetsOf,
  placeAt,
  type KeptFields,
} from './keptMessages.js';

export const at = 1_770_000_000_000;

/** One a second, at every second offset: others of the partition are in between. */
export const records = (from: number, count: number, fields: KeptFields = {}): IndexedRecord[] =>
  Array.from({ length: count }, (_, n) => ({
    offset: 2 * (from + n),
    message: kept(idAt(at + (from + n) * 1_000, 0), fields),
  }));

export const offsets = (from: number, count: number): number[] =>
  Array.from({ length: count }, (_, n) => 2 * (from + n));

export const historyAppendContract = (current: () => HistoryIndexSetting): void => {
  describe('appended messages', () => {
    it('[WS-HIST-3] are there in their order, whole, numbered from 1', async () => {
      const { index } = current();
      const body = Uint8Array.of(0x92, 1, 0xc4, 2, 0, 255);
      const message = { ...kept(idAt(at, 1, 'given'), { body }), filters: ['eu', 'us'], qos: 2 as const };
      await appendAll(index, [{ offset: 4, message }, ...records(3, 2)]);
      const topic = await index.topic(historyTopic());
      const found = await gathered(topic.oldestFirst());
      expect(found.map(({ place, ordinal }) => [place, ordinal])).to.eql([
        [placeAt(4), 1],
        [placeAt(6), 2],
        [placeAt(8), 3],
      ]);
      expect({ ...found[0]?.message, body, kept: undefined }).to.eql({ ...message, kept: undefined });
      expect([...(found[0]?.message.body ?? [])]).to.eql([...body]);
      expect(topic.newest).to.eql({ place: placeAt(8), ordinal: 3, latestAt: at + 4_000 });
      expect([topic.removedTo, topic.deletedTo]).to.eql([undefined, undefined]);
    });

    it('are those of their topic, room and scope alone', async () => {
      const { index } = current();
      const topics = [
        historyTopic(),
        historyTopic('other'),
        historyTopic('news', { roomId: 'room 2', room: 'project/app/_/room-2' }),
        historyTopic('news', { accessScopeId: 'scope', room: 'project/app/scope/room' }),
      ];
      await appendAll(
        index,
        Array.from({ length: 40 }, (_, offset) => ({
          offset,
          message: kept(idAt(at, offset), { topic: topics[offset % 4] as (typeof topics)[0] }),
        })),
      );
      for (const [n, topic] of topics.entries())
        expect(await offsetsOf(index, topic)).to.eql(Array.from({ length: 10 }, (_, each) => 4 * each + n));
      expect((await index.topic(historyTopic('none'))).newest).to.equal(undefined);
      expect(await offsetsOf(index, historyTopic('none'))).to.eql([]);
    });

    it('have the latest time of all up to them, whatever the clocks of gateways say', async () => {
      const { index } = current();
      const times = [5, 3, 9, 1, 10];
      await appendAll(
        index,
        times.map((time, offset) => ({ offset, message: kept(idAt(at + time, 0)) })),
      );
      const found = await gathered((await index.topic(historyTopic())).oldestFirst());
      expect(found.map(({ latestAt }) => latestAt - at)).to.eql([5, 5, 9, 9, 10]);
    });

    it('are passed over where they are not kept', async () => {
      const { index } = current();
      const message = { ...kept(idAt(at, 0)), kept: undefined };
      await appendAll(index, [{ offset: 0, message }, ...records(1, 1)]);
      expect(await offsetsOf(index)).to.eql([2]);
      await index.append(1, [], { epoch, next: 50 });
      expect(await index.partition(1)).to.eql({ epoch, next: 50 });
    });

    it('are there once when the same ones come again, also in other batches', async () => {
      const { index, underTest } = current();
      const all = records(0, 330);
      await appendAll(index, all.slice(0, 150));
      await appendAll(index, all.slice(50, 120));
      await appendAll(index, all.slice(100, 250));
      const reopened = await underTest.reopen();
      await appendAll(reopened, all.slice(0, 330));
      await appendAll(reopened, all.slice(200, 201));
      expect(await offsetsOf(reopened)).to.eql(offsets(0, 330));
      expect((await reopened.topic(historyTopic())).newest?.ordinal).to.equal(330);
    });

    it('are there once, at their first place, when they are on the bus twice', async () => {
      const { index, underTest } = current();
      const [first, second, third] = [kept(idAt(at, 0)), kept(idAt(at, 1, 'given')), kept(idAt(at, 2))];
      await appendAll(index, [
        { offset: 0, message: first },
        { offset: 1, message: first },
        { offset: 2, message: second },
      ]);
      await appendAll(index, [{ offset: 3, message: second }]);
      const reopened = await underTest.reopen();
      await appendAll(reopened, [
        { offset: 4, message: third },
        { offset: 5, message: second },
        { offset: 6, message: first },
      ]);
      expect(await offsetsOf(reopened)).to.eql([0, 2, 4]);
    });

    it('are known again when many others have come since, and when their topic keeps few', async () => {
      const { index } = current();
      const few = { messages: 1 };
      const all = records(0, 60, few);
      await appendAll(index, all);
      await index.prune(at + 60_000);
      const copies = all.slice(30).map(({ message }, n) => ({ offset: 1_000 + n, message }));
      await appendAll(index, copies);
      expect((await index.topic(historyTopic())).newest?.place).to.eql(placeAt(118));
    });

    it('may be large', async () => {
      const { index } = current();
      const large = Array.from({ length: 7 }, (_, offset) => {
        const body = new Uint8Array(1_000_000).fill(offset);
        return { offset, message: kept(idAt(at, offset), { body }) };
      });
      await appendAll(index, large);
      const found = await gathered((await index.topic(historyTopic())).newestFirst());
      expect(found.map(({ message: { body } }) => [body.length, body[999_999]])).to.eql(
        large.map(({ offset }) => [1_000_000, 6 - offset]),
      );
    });

    it('of one time are there whole when two processes append them at once, in batches of their own', async () => {
      const { index, underTest } = current();
      const other = await underTest.beside();
      const topics = ['a', 'b', 'c'].map((name) => historyTopic(name));
      const all = Array.from({ length: 900 }, (_, offset) => ({
        offset,
        message: kept(idAt(at + offset, 0), { topic: topics[offset % 3] as (typeof topics)[0] }),
      }));
      const appendInBatches = async (by: typeof index, size: number): Promise<void> => {
        for (let from = 0; from < all.length; from += size) await appendAll(by, all.slice(from, from + size));
      };
      await Promise.all([appendInBatches(index, 70), appendInBatches(other, 110)]);
      for (const [n, topic] of topics.entries()) {
        const found = await gathered((await other.topic(topic)).oldestFirst());
        expect(found.map(({ place }) => place.offset)).to.eql(
          Array.from({ length: 300 }, (_, each) => 3 * each + n),
        );
        expect(found.map(({ ordinal }) => ordinal)).to.eql(
          Array.from({ length: 300 }, (_, each) => each + 1),
        );
      }
      expect(await index.partition(1)).to.eql({ epoch, next: 900 });
      await other.close();
    });

    it('of a topic whose configuration says nothing are kept within the usual bounds', async () => {
      const { index } = current();
      const bounds = historyOf({ news: { history: {} } }, 'news');
      await appendAll(index, records(0, 3, { ...bounds }));
      expect(await offsetsOf(index)).to.eql(offsets(0, 3));
    });
  });
};

import { expect } from 'chai';
import { acceptedAt } from '@roomwire/shared/wire/bus/messageId';
import { offsets, records } from './appends.js';
import type { HistoryIndexSetting } from './historyIndexUnderTest.js';
import { appendAll, historyTopic, kept, offsetsOf, owners, placeAt } from './keptMessages.js';

const timeOf = (offset: number): number => acceptedAt(records(offset / 2, 1)[0]?.message.id ?? '');

export const historyRemovalContract = (current: () => HistoryIndexSetting): void => {
  describe('beyond the bounds of a topic', () => {
    it('[WS-HIST-1] the oldest messages are removed, and the newest of them is known', async () => {
      const { index } = current();
      for (let from = 0; from < 600; from += 50) await appendAll(index, records(from, 50, { messages: 120 }));
      await index.prune(timeOf(1_198));
      const left = await offsetsOf(index);
      expect(left.length).to.be.within(120, 220);
      expect(left).to.eql(offsets(600 - left.length, left.length));
      const { removedTo, newest } = await index.topic(historyTopic());
      expect(removedTo).to.eql(placeAt((left[0] ?? 0) - 2));
      expect(newest?.ordinal).to.equal(600);
    });

    it('[WS-HIST-1] lowered bounds hold for what was there before', async () => {
      const { index } = current();
      await appendAll(index, records(0, 800));
      await appendAll(index, records(800, 1, { messages: 60 }));
      await index.prune(timeOf(1_600));
      const left = await offsetsOf(index);
      expect(left.length).to.be.within(60, 160);
      expect(left.at(-1)).to.equal(1_600);
    });

    it('what has expired is removed, and how many messages that were is said', async () => {
      const { index } = current();
      await appendAll(index, records(0, 500, { seconds: 1_000 }));
      expect(await index.prune(timeOf(998))).to.equal(0);
      // So late that what may wait to be removed together has been waited for.
      const removed = await index.prune(timeOf(300 * 2) + 1_101_000);
      const left = await offsetsOf(index);
      expect(removed).to.equal(500 - left.length);
      expect(left.length).to.be.within(1, 199);
      expect(left).to.eql(offsets(removed, left.length));
      expect((await index.topic(historyTopic())).removedTo).to.eql(placeAt((left[0] ?? 0) - 2));
      expect(await index.prune(timeOf(998) + 2_000_000)).to.equal(left.length);
      const { newest, removedTo } = await index.topic(historyTopic());
      expect([newest?.ordinal, removedTo]).to.eql([500, placeAt(998)]);
      expect(await offsetsOf(index)).to.eql([]);
    });

    it('a topic that was emptied goes on where it was', async () => {
      const { index, underTest } = current();
      await appendAll(index, records(0, 150, { seconds: 1_000 }));
      await index.prune(timeOf(298) + 5_000_000);
      const reopened = await underTest.reopen();
      await appendAll(reopened, records(150, 120, { seconds: 1_000 }));
      expect(await offsetsOf(reopened)).to.eql(offsets(150, 120));
      expect((await reopened.topic(historyTopic())).newest?.ordinal).to.equal(270);
      await appendAll(reopened, records(0, 150));
      expect(await offsetsOf(reopened)).to.eql(offsets(150, 120));
    });

    it('what is there stays when another process removes what has expired meanwhile', async () => {
      const { index, underTest } = current();
      const other = await underTest.beside();
      for (let from = 0; from < 300; from += 30) {
        await appendAll(index, records(from, 30, { seconds: 1_000, messages: 10_000 }));
        await other.prune(timeOf(2 * from) + 600_000);
      }
      await other.prune(timeOf(598) + 800_000);
      await appendAll(index, records(300, 30, { seconds: 1_000, messages: 10_000 }));
      const left = await offsetsOf(index);
      expect(left).to.eql(offsets(330 - left.length, left.length));
      await other.close();
    });
  });

  describe('a deletion of a topic', () => {
    it('[WS-HIST-13] removes all messages up to a place, and says so', async () => {
      const { index } = current();
      await appendAll(index, records(0, 260));
      await appendAll(index, [{ offset: 519, message: kept('other', { topic: historyTopic('other') }) }]);
      await index.deleteTopic(historyTopic(), owners, placeAt(301));
      expect(await offsetsOf(index)).to.eql(offsets(151, 109));
      await index.deleteTopic(historyTopic(), owners, placeAt(100));
      const { deletedTo, removedTo, newest } = await index.topic(historyTopic());
      expect([deletedTo, removedTo, newest?.ordinal]).to.eql([placeAt(301), undefined, 260]);
      await index.deleteTopic(historyTopic(), owners, placeAt(518));
      expect(await offsetsOf(index)).to.eql([]);
      expect(await offsetsOf(index, historyTopic('other'))).to.eql([519]);
      await appendAll(index, records(260, 3));
      expect(await offsetsOf(index)).to.eql(offsets(260, 3));
      expect((await index.topic(historyTopic())).newest?.ordinal).to.equal(263);
    });

    it('[WS-HIST-13] holds for what is appended later, which still counts as newest', async () => {
      const { index, underTest } = current();
      await appendAll(index, records(0, 5));
      await (await underTest.reopen()).deleteTopic(historyTopic(), owners, placeAt(20));
      const reopened = await underTest.reopen();
      await appendAll(reopened, records(5, 3));
      expect(await offsetsOf(reopened)).to.eql([]);
      expect((await reopened.topic(historyTopic())).newest).to.deep.include({
        place: placeAt(14),
        ordinal: 8,
      });
      await appendAll(reopened, records(8, 5));
      expect(await offsetsOf(reopened)).to.eql([22, 24]);
    });

    it('[WS-HIST-13] holds for a topic of which the index knew nothing', async () => {
      const { index } = current();
      await index.deleteTopic(historyTopic(), owners, placeAt(7));
      const unknown = await index.topic(historyTopic());
      expect([unknown.deletedTo, unknown.newest]).to.eql([placeAt(7), undefined]);
      await appendAll(index, records(0, 6));
      expect(await offsetsOf(index)).to.eql([8, 10]);
      expect(await index.prune(timeOf(10))).to.equal(0);
    });

    it('[WS-HIST-13] holds while another process appends', async () => {
      const { index, underTest } = current();
      const other = await underTest.beside();
      const appending = (async () => {
        for (let from = 0; from < 400; from += 20) await appendAll(other, records(from, 20));
      })();
      for (const to of [100, 300, 500]) await index.deleteTopic(historyTopic(), owners, placeAt(to));
      await appending;
      expect(await offsetsOf(index)).to.eql(offsets(251, 149));
      await index.prune(timeOf(800));
      expect(await offsetsOf(other)).to.eql(offsets(251, 149));
      await other.close();
    });
  });

  describe('owners that are removed', () => {
    const room = historyTopic('news', { roomId: 'room 2', room: 'project/app/_/room-2' });
    const scoped = historyTopic('news', { accessScopeId: 'scope', room: 'project/app/scope/room' });
    const topics = [historyTopic(), historyTopic('other'), room, scoped];
    const append = () =>
      appendAll(
        current().index,
        topics.map((topic, offset) => ({ offset, message: kept(`000000001000${offset}`, { topic }) })),
      );
    const counts = () =>
      Promise.all(topics.map(async (topic) => (await offsetsOf(current().index, topic)).length));

    beforeEach(append);

    for (const [owner, left] of [
      ['project', [0, 0, 0, 0]],
      ['app', [0, 0, 0, 0]],
      ['room', [0, 0, 1, 0]],
      ['room 2', [1, 1, 0, 1]],
      ['scope', [1, 1, 1, 0]],
    ] as const)
      it(`[WS-HIST-13] take their topics with them: ${owner}`, async () => {
        const { index } = current();
        expect(await counts()).to.eql([1, 1, 1, 1]);
        await index.removeOf(['unknown', 'roo', owner, owner]);
        expect(await counts()).to.eql(left);
        for (const [n, topic] of topics.entries())
          expect((await index.topic(topic)).newest === undefined).to.equal(left[n] === 0);
      });

    it('[WS-HIST-13] take what is appended or deleted later, too', async () => {
      const { index, underTest } = current();
      await index.removeOf(['room']);
      await append();
      expect(await counts()).to.eql([0, 0, 1, 0]);
      await index.deleteTopic(historyTopic(), owners, placeAt(7));
      expect((await index.topic(historyTopic())).deletedTo).to.equal(undefined);
      const reopened = await underTest.reopen();
      await appendAll(reopened, [{ offset: 9, message: kept('0000000010009') }]);
      expect(await offsetsOf(reopened)).to.eql([]);
    });

    it('[WS-HIST-13] take many messages with them, while another process appends', async () => {
      const { index, underTest } = current();
      const other = await underTest.beside();
      const all = records(10, 900);
      await appendAll(index, all.slice(0, 700));
      const appending = (async () => {
        for (let from = 700; from < 900; from += 20) await appendAll(other, all.slice(from, from + 20));
      })();
      await index.removeOf(['room']);
      await appending;
      expect(await counts()).to.eql([0, 0, 1, 0]);
      await other.close();
    });
  });
};

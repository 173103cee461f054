import { expect } from 'chai';
import { offsets, records } from './appends.js';
import type { HistoryIndexSetting } from './historyIndexUnderTest.js';
import { appendAll, epoch, gathered, historyTopic, offsetsIn, offsetsOf, placeAt } from './keptMessages.js';

const count = 1_250;

export const historyPageContract = (current: () => HistoryIndexSetting): void => {
  describe('pages', () => {
    beforeEach(async () => {
      const all = records(0, count, { messages: 10_000 });
      for (let from = 0; from < count; from += 300)
        await appendAll(current().index, all.slice(from, from + 300));
    });

    it('[WS-HIST-12] hold all of a topic in both directions, and say the same', async () => {
      const topic = await current().index.topic(historyTopic());
      const [upwards, downwards] = [await gathered(topic.oldestFirst()), await gathered(topic.newestFirst())];
      expect(upwards.map(({ place }) => place.offset)).to.eql(offsets(0, count));
      expect([...downwards].reverse()).to.eql(upwards);
    });

    it('begin beside any place, whether a message is there or not', async () => {
      const topic = await current().index.topic(historyTopic());
      for (const n of [0, 1, 57, 99, 100, 101, 640, 1_199, 1_200, count - 1]) {
        expect(await offsetsIn(topic.oldestFirst(placeAt(2 * n)))).to.eql(offsets(n + 1, count - n - 1));
        expect(await offsetsIn(topic.oldestFirst(placeAt(2 * n - 1)))).to.eql(offsets(n, count - n));
        expect(await offsetsIn(topic.newestFirst(placeAt(2 * n)))).to.eql(offsets(0, n).reverse());
        expect(await offsetsIn(topic.newestFirst(placeAt(2 * n + 1)))).to.eql(offsets(0, n + 1).reverse());
      }
    });

    it('begin beside places of other epochs', async () => {
      const topic = await current().index.topic(historyTopic());
      const [earlier, later] = [-1, 1].map((by) => ({ epoch: epoch + by, offset: 600 }));
      expect(await offsetsIn(topic.oldestFirst(earlier))).to.have.length(count);
      expect(await offsetsIn(topic.newestFirst(earlier))).to.eql([]);
      expect(await offsetsIn(topic.oldestFirst(later))).to.eql([]);
      expect(await offsetsIn(topic.newestFirst(later))).to.have.length(count);
    });

    it('go over from one epoch to the next', async () => {
      const { index } = current();
      const next = records(2_000, 150, { messages: 10_000 }).map(({ message }, offset) => ({
        offset,
        message,
      }));
      await index.append(1, next, { epoch: epoch + 5, next: 150 });
      const topic = await index.topic(historyTopic());
      const both = [...offsets(0, count), ...next.map(({ offset }) => offset)];
      expect(await offsetsIn(topic.oldestFirst())).to.eql(both);
      expect(await offsetsIn(topic.newestFirst())).to.eql(both.reverse());
      expect(await offsetsIn(topic.oldestFirst({ epoch: epoch + 5, offset: 100 }))).to.have.length(49);
      expect(topic.newest).to.deep.include({
        place: { epoch: epoch + 5, offset: 149 },
        ordinal: count + 150,
      });
    });

    it('are read one by one, and may be left', async () => {
      const topic = await current().index.topic(historyTopic());
      for await (const page of topic.newestFirst()) {
        expect(page[0]?.place.offset).to.equal(2 * count - 2);
        expect(page.length).to.be.within(1, 500);
        break;
      }
    });

    it('pass over what is removed while they are read', async () => {
      const { index } = current();
      const topic = await index.topic(historyTopic());
      const found: number[] = [];
      for await (const page of topic.oldestFirst()) {
        if (found.length === 0)
          await index.deleteTopic(historyTopic(), { projectId: 'project', appId: 'app' }, placeAt(2_200));
        found.push(...page.map(({ place }) => place.offset));
      }
      expect(found).to.include.members(offsets(1_101, count - 1_101));
      expect(found).to.eql([...new Set(found)].sort((one, other) => one - other));
      expect(await offsetsOf(index)).to.eql(offsets(1_101, count - 1_101));
    });
  });
};

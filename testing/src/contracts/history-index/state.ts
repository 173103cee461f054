import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect } from 'chai';
import { EngineUnavailable } from '@roomwire/shared/ports/errors';
import type { HistoryIndex } from '@roomwire/shared/ports/historyIndex';
import { offsets, records } from './appends.js';
import type { HistoryIndexSetting } from './historyIndexUnderTest.js';
import {
  appendAll,
  epoch,
  gathered,
  historyTopic,
  kept,
  offsetsOf,
  owners,
  placeAt,
} from './keptMessages.js';

export const historyStateContract = (current: () => HistoryIndexSetting): void => {
  describe('a partition', () => {
    it('is unknown at first, and never goes back within an epoch', async () => {
      const { index, underTest } = current();
      expect(await index.partition(1)).to.equal(undefined);
      for (const next of [10, 5, 30, 29]) await index.append(1, [], { epoch, next });
      await index.append(2, [], { epoch, next: 7 });
      const reopened = await underTest.reopen();
      expect(await reopened.partition(1)).to.eql({ epoch, next: 30 });
      expect(await reopened.partition(2)).to.eql({ epoch, next: 7 });
    });

    it('begins anew with a later epoch, and does not go back to an earlier one', async () => {
      const { index } = current();
      await index.append(1, [], { epoch, next: 5_000_000_000 });
      await index.append(1, [], { epoch: epoch + 1, next: 3 });
      expect(await index.partition(1)).to.eql({ epoch: epoch + 1, next: 3 });
      await index.append(1, [], { epoch, next: 6_000_000_000 });
      expect(await index.partition(1)).to.eql({ epoch: epoch + 1, next: 3 });
    });

    it('[WS-HIST-2] begins in one epoch, and goes on to one, whoever begins others at the same time', async () => {
      const { index, underTest } = current();
      const other = await underTest.beside();
      let former: number | undefined;
      for (let round = 0; round < 3; round++) {
        const before = former;
        const begun = await Promise.all(
          [1, 2, 3, 4].map((n) =>
            (n % 2 === 0 ? index : other).begin(1, before, { epoch: (before ?? epoch) + n, next: n }),
          ),
        );
        const now = await index.partition(1);
        expect(begun).to.eql([now, now, now, now]);
        former = now?.epoch;
        // It has ended.
        expect(await other.begin(1, before, { epoch: epoch + 100, next: 0 })).to.eql(now);
      }
      await other.close();
    });

    it('begins a later epoch wherever it is in the former one', async () => {
      const { index } = current();
      await index.append(1, [], { epoch, next: 5_000_000_000 });
      expect(await index.begin(1, epoch, { epoch: epoch + 1, next: 3 })).to.eql({
        epoch: epoch + 1,
        next: 3,
      });
      expect(await index.begin(2, epoch, { epoch, next: 4 })).to.eql({ epoch, next: 4 });
      expect([await index.partition(1), await index.partition(2)]).to.eql([
        { epoch: epoch + 1, next: 3 },
        { epoch, next: 4 },
      ]);
    });

    it('is moved behind what can be read then', async () => {
      const { index, underTest } = current();
      const other = await underTest.beside();
      const appending = (async () => {
        for (let from = 0; from < 200; from += 10) await appendAll(index, records(from, 10));
      })();
      for (let next = 0; next < 399;) {
        await nextTurn();
        next = (await other.partition(1))?.next ?? 0;
        const found = await offsetsOf(other);
        expect(found.length * 2).to.be.at.least(next);
      }
      await appending;
      await other.close();
    });
  });

  describe('the topics of an app', () => {
    const all = async (index: HistoryIndex, appId: string) => {
      const found = [];
      for await (const page of index.topicsOf(appId)) found.push(...page);
      return found.sort((one, other) => (one.name < other.name ? -1 : 1));
    };

    it('are listed with all that is needed to delete them, also where nothing is left of them', async () => {
      const { index } = current();
      const names = Array.from({ length: 250 }, (_, n) => `topic-${String(n).padStart(3, '0')}`);
      const scoped = { accessScopeId: 'scope', room: 'project/app/scope/room' };
      const topics = names.map((name) => historyTopic(name, scoped));
      await appendAll(
        index,
        topics.map((topic, offset) => ({ offset, message: kept(`m${offset}`, { topic }) })),
      );
      const elsewhere = kept('elsewhere', { appId: 'app 2', projectId: 'project 2' });
      await appendAll(index, [{ offset: 1_000, message: elsewhere }]);
      for (const topic of topics.slice(0, 3)) await index.deleteTopic(topic, owners, placeAt(500));
      expect(await all(index, 'app')).to.eql(topics.map((topic) => ({ ...topic, ...owners })));
      expect(await all(index, 'app 2')).to.eql([
        { ...historyTopic(), appId: 'app 2', projectId: 'project 2' },
      ]);
      expect(await all(index, 'none')).to.eql([]);
      await index.removeOf(['app']);
      expect(await all(index, 'app')).to.eql([]);
    });
  });

  describe('the checkpoint in the event log', () => {
    it('may be moved back, and has an origin as long as it is there', async () => {
      const { index, underTest } = current();
      const origin = { log: 'first', position: '0003', event: 'third' };
      expect([await index.checkpoint(), await index.origin()]).to.eql([undefined, undefined]);
      await index.moveCheckpoint('0003', origin);
      await index.moveCheckpoint('0002');
      const reopened = await underTest.reopen();
      expect([await reopened.checkpoint(), await reopened.origin()]).to.eql(['0002', origin]);
      await reopened.moveCheckpoint(undefined);
      expect([await reopened.checkpoint(), await reopened.origin()]).to.eql([undefined, undefined]);
    });
  });

  it('keeps everything when it is opened again', async () => {
    const { index, underTest } = current();
    await appendAll(index, records(0, 230));
    await index.deleteTopic(historyTopic(), owners, placeAt(19));
    const before = await gathered((await index.topic(historyTopic())).oldestFirst());
    const reopened = await underTest.reopen();
    const topic = await reopened.topic(historyTopic());
    expect(await gathered(topic.oldestFirst())).to.eql(before);
    expect(topic.deletedTo).to.eql(placeAt(19));
    await appendAll(reopened, records(230, 30));
    expect(await offsetsOf(reopened)).to.eql(offsets(10, 250));
  });

  it('rejects when it is closed', async () => {
    const { index } = current();
    await appendAll(index, records(0, 3));
    const topic = await index.topic(historyTopic());
    await index.close();
    const attempts = [
      () => index.append(1, [], { epoch, next: 1 }),
      () => index.partition(1),
      () => index.topic(historyTopic()),
      () => gathered(topic.oldestFirst()),
      () => gathered(topic.newestFirst()),
      () => index.deleteTopic(historyTopic(), owners, placeAt(1)),
      () => index.removeOf(['a']),
      () => index.prune(0),
      () => index.checkpoint(),
      () => index.origin(),
      () => index.moveCheckpoint('1'),
    ];
    for (const attempt of attempts) {
      const error = await attempt().then(
        () => undefined,
        (reason: unknown) => reason,
      );
      expect(error).to.be.instanceOf(EngineUnavailable);
    }
    await index.close();
  });
};

import { endOf } from '../../src/ports/history.js';
import { expect } from 'chai';
import fc from 'fast-check';
import type { HistoryPartitions, PartitionEnd } from '../../src/history/historyPartitions.js';
import { IndexedHistory } from '../../src/history/indexedHistory.js';
import type { IndexedRecord } from '../../src/ports/historyIndex.js';
import { comparePlaces, type Place } from '../../src/wire/protocol/position.js';
import { gathered, idsIn, keptMessage, topicNamed } from './keptMessages.js';
import { MemoryHistoryIndex } from './memoryHistoryIndex.js';

const epoch = 7;
const news = topicNamed('news');
const owners = { projectId: 'project', appId: 'app-id' };

/** A partition of which the index has some, while it is looked at. */
class World implements HistoryPartitions {
  readonly index = new MemoryHistoryIndex();
  readonly history = new IndexedHistory(this.index, this);
  records: IndexedRecord[] = [];
  next = 0;
  /** What the tail has of before the index. */
  overlap = 0;
  knowsCopies = false;
  /** Between the end and the index. */
  meanwhile: () => Promise<void> = async () => undefined;
  epoch = epoch;
  private archivedTo = 0;

  publish(name: string, n: number, gap = 1): void {
    this.records.push({ offset: this.next, message: keptMessage(n, name) });
    this.next += gap;
  }

  async archive(to: number): Promise<void> {
    const records = this.records.filter(({ offset }) => offset >= this.archivedTo && offset < to);
    await this.index.append(0, records, { epoch: this.epoch, next: to });
    this.archivedTo = Math.max(this.archivedTo, to);
  }

  async endOf(): Promise<PartitionEnd> {
    const [from, next] = [Math.max(0, this.archivedTo - this.overlap), this.next];
    const ids = new Set<string>();
    const tail = this.records.filter(({ offset, message: { id } }) => {
      const isIn = offset >= from && offset < next && !ids.has(id);
      if (isIn) ids.add(id);
      return isIn;
    });
    const end = {
      ...{ epoch: this.epoch, next },
      tail: {
        messagesOf: ({ room, name }: { room: string; name: string }) =>
          tail.filter(({ message }) => message.topic === `${room}/${name}`),
        knowsCopies: this.knowsCopies,
      },
    };
    await this.meanwhile();
    return end;
  }

  async indexed(): Promise<void> {
    if (this.archivedTo < this.next) throw new Error('not yet');
  }

  epochOf(): number {
    return this.epoch;
  }
}

describe('a history of an index and a tail', () => {
  it('has each message once, in order, wherever the index ends and however it moves on meanwhile', async () => {
    const publishes = fc.array(fc.tuple(fc.constantFrom('news', 'other'), fc.integer({ min: 1, max: 3 })), {
      maxLength: 30,
    });
    const share = fc.double({ min: 0, max: 1, noNaN: true });
    await fc.assert(
      fc.asyncProperty(
        ...[publishes, share, share, publishes, share, fc.nat(10)],
        async (before, first, second, later, deleted, overlap) => {
          const world = new World();
          Object.assign(world, { overlap });
          let n = 0;
          for (const [name, gap] of before) world.publish(name, (n += 1), gap);
          const end = world.next;
          await world.archive(Math.floor(first * end));
          const to = deleted < 0.3 ? undefined : { epoch, offset: Math.floor((deleted - 0.3) * end) };
          if (to) await world.index.deleteTopic(news, owners, to);
          world.meanwhile = async () => {
            for (const [name, gap] of later) world.publish(name, (n += 1), gap);
            await world.archive(Math.floor(first * end + second * (world.next - first * end)));
          };
          const view = await world.history.look(news);
          const ofTopic = world.records.filter(({ message }) => message.topic.endsWith('/news'));
          const within = ofTopic.filter(({ offset }) => offset <= view.upTo);
          expect(view.upTo).to.be.at.least(end - 1);
          expect(view.newest?.place.offset).to.equal(within.at(-1)?.offset);
          expect(view.newest?.ordinal ?? 0).to.equal(within.length);
          const expected = within.filter(({ offset }) => offset > (to?.offset ?? -1));
          const found = await gathered(view.oldestFirst());
          expect(found.map(({ place }) => place)).to.eql(
            expected.map(({ offset }): Place => ({ epoch, offset })),
          );
          expect(found.map(({ ordinal }) => ordinal)).to.eql(
            expected.map((record) => within.indexOf(record) + 1),
          );
          expect(await gathered(view.newestFirst())).to.eql(found.toReversed());
          for (const at of world.records.map(({ offset }): Place => ({ epoch, offset }))) {
            const behind = found.filter(({ place }) => comparePlaces(place, at) > 0);
            expect(await gathered(view.oldestFirst(at))).to.eql(behind);
            const earlier = found.filter(({ place }) => comparePlaces(place, at) < 0);
            expect(await gathered(view.newestFirst(at))).to.eql(earlier.toReversed());
          }
        },
      ),
      { numRuns: 200, seed: 17 },
    );
  });

  it('leaves out a second copy whose first one is in the index alone', async () => {
    const world = new World();
    for (const n of [1, 2, 2, 3]) world.publish('news', n);
    await world.archive(2);
    const view = await world.history.look(news);
    const found = await gathered(view.oldestFirst());
    expect(found.map(({ place: { offset }, ordinal }) => [offset, ordinal])).to.eql([
      [0, 1],
      [1, 2],
      [3, 3],
    ]);
  });

  it('leaves out a second copy that comes many messages after the first one', async () => {
    const world = new World();
    for (const n of [1, 2, 3, 4, 5, 6, 7, 8, 1, 9]) world.publish('news', n);
    await world.archive(8);
    const found = await gathered((await world.history.look(news)).oldestFirst());
    expect(found.map(({ place }) => place.offset)).to.eql([0, 1, 2, 3, 4, 5, 6, 7, 9]);
  });

  it('[WS-HIST-3] does not take a message of the tail for a second copy once that is indexed, too', async () => {
    const world = new World();
    for (const n of [1, 2, 3]) world.publish('news', n);
    await world.archive(1);
    const { topic } = world.index;
    world.index.topic = async (asked) => {
      const indexed = await topic.call(world.index, asked);
      await world.archive(3);
      return indexed;
    };
    const view = await world.history.look(news);
    expect([view.upTo, view.newest?.place.offset]).to.eql([2, 2]);
    expect(await idsIn(view)).to.have.lengthOf(3);
  });

  it('looks again where a new epoch begins meanwhile', async () => {
    const world = new World();
    world.publish('news', 1);
    await world.archive(1);
    let looks = 0;
    world.meanwhile = async () => {
      looks += 1;
      if (looks > 1) return;
      world.epoch += 1;
      world.publish('news', 2);
      await world.archive(2);
    };
    const view = await world.history.look(news);
    expect([looks, view.epoch, view.upTo]).to.eql([2, epoch + 1, 1]);
    expect(await idsIn(view)).to.have.lengthOf(2);
  });

  it('[WS-HIST-13] deletes what was published before, also what is not in the index yet', async () => {
    const world = new World();
    for (const n of [1, 2, 3]) world.publish('news', n);
    await world.archive(2);
    await world.history.deleteTopic(news, owners, endOf(await world.history.look(news)));
    expect(await idsIn(await world.history.look(news))).to.eql([]);
    world.publish('news', 4);
    const view = await world.history.look(news);
    expect((await gathered(view.oldestFirst())).map(({ ordinal }) => ordinal)).to.eql([4]);
    expect(view.deletedTo).to.eql({ epoch, offset: 2 });
  });

  it('[WS-HIST-13] tells the index nothing of an app but its ids, since its name is not that of the topic', async () => {
    const told: unknown[] = [];
    const index = {
      topic: () => Promise.reject(new Error('Nothing is read')),
      deleteTopic: async (...deletion: readonly unknown[]) => void told.push(...deletion),
    };
    const app = { ...owners, name: 'Chat' };
    await new IndexedHistory(index, new World()).deleteTopic(news, app, { epoch, offset: 2 });
    expect(told).to.eql([news, owners, { epoch, offset: 2 }]);
  });
});

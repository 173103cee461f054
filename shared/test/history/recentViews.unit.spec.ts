import { expect } from 'chai';
import { IndexedHistory } from '../../src/history/indexedHistory.js';
import { noTail } from '../../src/history/historyPartitions.js';
import type { IndexedTopic } from '../../src/ports/historyIndex.js';
import { endOf } from '../../src/ports/history.js';
import { gathered, keptMessage, topicNamed } from './keptMessages.js';
import { MemoryHistoryIndex } from './memoryHistoryIndex.js';

const epoch = 7;
const news = topicNamed('news');
const owners = { projectId: 'project', appId: 'app-id' };

describe('what was read of a history', () => {
  const setUp = async () => {
    const index = new MemoryHistoryIndex();
    let next = 0;
    const add = async (n: number): Promise<void> => {
      await index.append(0, [{ offset: next, message: keptMessage(n) }], { epoch, next: next + 1 });
      next += 1;
    };
    let reads = 0;
    const counting = {
      topic: async (topic: typeof news): Promise<IndexedTopic> => {
        const found = await index.topic(topic);
        return {
          ...found,
          newestFirst: (before) => {
            reads += 1;
            return found.newestFirst(before);
          },
          oldestFirst: (after) => found.oldestFirst(after),
        };
      },
      deleteTopic: index.deleteTopic.bind(index),
    };
    const partitions = {
      endOf: async () => ({ epoch, next, tail: noTail }),
      indexed: async () => undefined,
      epochOf: () => epoch,
    };
    const history = new IndexedHistory(counting, partitions);
    const numbers = async () =>
      (await gathered((await history.look(news)).newestFirst())).map(({ ordinal }) => ordinal);
    return { add, history, numbers, reads: () => reads };
  };

  it('is not read again as long as nothing comes and nothing goes', async () => {
    const { add, numbers, reads } = await setUp();
    for (const n of [1, 2, 3]) await add(n);
    expect(await numbers()).to.deep.equal([3, 2, 1]);
    expect(await Promise.all([numbers(), numbers()])).to.deep.equal([
      [3, 2, 1],
      [3, 2, 1],
    ]);
    expect(reads()).to.equal(1);
  });

  it('[WS-HIST-3] [WS-HIST-13] is read again when a message has come, or was deleted', async () => {
    const { add, history, numbers } = await setUp();
    await add(1);
    expect(await numbers()).to.deep.equal([1]);
    await add(2);
    expect(await numbers()).to.deep.equal([2, 1]);
    await history.deleteTopic(news, owners, endOf(await history.look(news)));
    expect(await numbers()).to.deep.equal([]);
    await add(3);
    expect(await numbers()).to.deep.equal([3]);
  });
});

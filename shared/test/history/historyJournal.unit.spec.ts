import { expect } from 'chai';
import { HistoryJournal } from '../../src/history/historyJournal.js';
import { IndexedHistory } from '../../src/history/indexedHistory.js';
import { idOf, idsIn, keptMessage, otherMessage, topicNamed } from './keptMessages.js';
import { MemoryHistoryIndex } from './memoryHistoryIndex.js';

const unavailable = 'EngineUnavailable: The message history cannot be reached';

describe('the journal of kept messages on files', () => {
  let index: MemoryHistoryIndex;
  let journal: HistoryJournal;
  let now: number;

  const open = () => HistoryJournal.open(index, { now: () => now });
  const placesIn = (): readonly (readonly [string, number, number])[] =>
    index.all.map(({ message, place }) => [message.id, place.epoch, place.offset]);

  beforeEach(async () => {
    index = new MemoryHistoryIndex();
    now = 5;
    journal = await open();
  });

  it('keeps messages of topics with history alone', () => {
    expect([keptMessage(1), otherMessage(1)].map((message) => journal.isKept(message))).to.eql([true, false]);
  });

  it('[WS-HIST-3] resolves in the order of the calls when they are in the index, many with one write', async () => {
    const resolved: number[] = [];
    const before = index.appends;
    await Promise.all(
      Array.from({ length: 100 }, async (_, n) => {
        const offset = await journal.append(keptMessage(n));
        expect(index.all.some(({ message }) => message.id === idOf(n))).to.equal(true);
        resolved.push(offset);
      }),
    );
    expect(resolved).to.eql(Array.from({ length: 100 }, (_, n) => n));
    expect(index.appends - before).to.be.at.most(3);
  });

  it('[WS-HIST-2] goes on with its numbers in the next process', async () => {
    await journal.append(keptMessage(1));
    now = 9;
    const next = await open();
    expect(await next.append(keptMessage(2))).to.equal(1);
    expect(placesIn()).to.eql([
      [idOf(1), 5, 0],
      [idOf(2), 5, 1],
    ]);
  });

  it('has an epoch before there is a message, which the next process has too', async () => {
    now = 9;
    expect((await open()).epochOf()).to.equal(5);
  });

  it('refuses what could not be stored, and uses no number twice', async () => {
    index.appendFault = 'refused';
    expect(await journal.append(keptMessage(1)).catch(String)).to.equal(unavailable);
    index.appendFault = 'none';
    expect(await journal.append(keptMessage(2))).to.equal(1);
    expect(placesIn()).to.eql([[idOf(2), 5, 1]]);
  });

  it('takes for stored what is in the index, whatever was said of it', async () => {
    index.appendFault = 'written, and refused';
    expect(await journal.append(keptMessage(1))).to.equal(0);
  });

  it('refuses messages while the index is away, and takes them when it is back', async () => {
    index.isAway = true;
    expect(await journal.append(keptMessage(1)).catch(String)).to.equal(unavailable);
    index.isAway = false;
    expect(await journal.append(keptMessage(2))).to.equal(1);
  });

  it('[WS-HIST-3] shows every look what was acknowledged before it', async () => {
    const history = new IndexedHistory(index, journal);
    expect(history.epochOf('room')).to.equal(5);
    expect((await history.look(topicNamed('news'))).upTo).to.equal(-1);
    for (const n of [1, 2, 3]) {
      const offset = await journal.append(keptMessage(n));
      const view = await history.look(topicNamed('news'));
      expect([view.upTo, view.newest?.place]).to.eql([offset, { epoch: 5, offset }]);
      expect((await idsIn(view)).at(-1)).to.equal(idOf(n));
    }
  });
});

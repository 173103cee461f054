import type { Message } from '@roomwire/sdk';
import { expect } from 'chai';
import { MessageFeed, type FeedRow } from '../../../src/pages/live/messageFeed.js';

const message = (data: unknown): Message => ({
  ...{ topic: 'a/r/t', data, msgId: undefined, filter: undefined, meta: undefined, isReplay: false },
});

const dataOf = (row: FeedRow): unknown => (row.kind === 'message' ? row.message.data : row.text);

describe('the feed of a live room', () => {
  let now: number;
  let feed: MessageFeed;

  beforeEach(() => {
    now = 1_000;
    feed = new MessageFeed({
      ...{ monotonic: () => now, now: () => 5, mostRows: 10, mostPerSecond: 4, burst: 8 },
    });
  });

  it('shows all messages while they are few, the newest first', () => {
    for (const data of ['a', 'b', 'c']) feed.add(message(data));
    const { rows, total, perSecond, shownPerSecond } = feed.view();
    expect(rows.map(dataOf)).to.eql(['c', 'b', 'a']);
    expect({ total, perSecond, shownPerSecond }).to.eql({ total: 3, perSecond: 3, shownPerSecond: 3 });
    // The same list, so that nothing is drawn again.
    expect(feed.view().rows).to.equal(rows);
  });

  it('samples what comes faster, spread over time, and counts all of it', () => {
    // A thousand in a second, for ten seconds.
    for (let count = 0; count < 10_000; count += 1) {
      feed.add(message(count));
      now += 1;
    }
    const { rows, total, perSecond, shownPerSecond } = feed.view();
    expect(total).to.equal(10_000);
    expect(perSecond).to.be.within(750, 1_250);
    expect(shownPerSecond).to.be.within(3, 5);
    expect(rows).to.have.lengthOf(10);
    const skipped = rows.map((row) => (row.kind === 'message' ? row.skipped : Number.NaN));
    expect(skipped).to.eql(Array.from({ length: 10 }, () => 249));
  });

  it('is still after a second without messages, and shows what comes again', () => {
    for (let count = 0; count < 100; count += 1) feed.add(message(count));
    now += 1_001;
    expect(feed.view()).to.deep.include({ perSecond: 0, shownPerSecond: 0, total: 100 });
    feed.add(message('later'));
    const [first] = feed.view().rows;
    expect(first).to.deep.include({ kind: 'message', skipped: 92 });
  });

  it('has notes between messages, is bounded, and can be cleared without counting anew', () => {
    feed.add(message('before'));
    feed.note('The connection was lost.');
    expect(feed.view().rows.map(dataOf)).to.eql(['The connection was lost.', 'before']);
    for (let count = 0; count < 50; count += 1) feed.note(`${count}`);
    expect(feed.view().rows).to.have.lengthOf(10);
    feed.clear();
    expect(feed.view()).to.deep.include({ rows: [], total: 1 });
  });
});

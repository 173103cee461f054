import { expect } from 'chai';
import { beginFeed, type FeedMark } from '../src/filledFeed.js';
import { event, feedWorld, redriven } from './support/feedWorld.js';
import { positionOf } from './support/history.js';
import { writtenLog } from './support/writtenLog.js';

const history = [event(1), event(2), event(3), event(4)];
const positions = (...indexes: readonly number[]) => indexes.map(positionOf);
const callIds = (calls: readonly { readonly callId: string }[]) => calls.map(({ callId }) => callId);

describe('the feed of read models that readers see', () => {
  const begun = async (written: number | undefined, ...events: typeof history) => {
    const world = feedWorld(writtenLog(...events.map((each) => [each])));
    world.state.written = written === undefined ? undefined : positionOf(written);
    const mark: FeedMark = { position: positionOf(4) };
    return { ...world, mark, feed: await beginFeed(world.deps, mark, positionOf(4)) };
  };

  it('begins at the mark that was written with the last batch', async () => {
    expect((await begun(2, ...history)).mark.position).to.equal(positionOf(2));
    expect((await begun(undefined, ...history)).mark.position).to.equal(undefined);
  });

  it('goes on with what the bus has not confirmed up to the checkpoint', async () => {
    const { feed, fed, mark, admitted } = await begun(1, ...history);
    await feed.resume(positionOf(3));
    expect(fed).to.eql(positions(2, 3));
    expect(mark.position).to.equal(positionOf(3));
    expect(admitted).to.eql([]);
  });

  it('feeds nothing, and keeps its mark, where nothing is written yet', async () => {
    const { feed, fed, mark } = await begun(1, ...history);
    await feed.resume(undefined);
    expect([fed, mark.position]).to.eql([[], positionOf(1)]);
  });

  it('moves its mark with each batch, and makes the calls that were redriven in it', async () => {
    const { feed, fed, calls, mark } = await begun(4, ...history);
    await feed.written([event(5), redriven('call', 6)], positionOf(6));
    expect(fed).to.eql(positions(5, 6));
    expect(callIds(calls)).to.eql(['call']);
    expect(mark.position).to.equal(positionOf(6));
  });
});

describe('the feed of read models that are being filled', () => {
  const begun = async (
    events: readonly (typeof history)[number][],
    { marked, head = events.length }: { readonly marked?: number; readonly head?: number } = {},
  ) => {
    const world = feedWorld(writtenLog(...events.map((each) => [each])));
    world.state.admitsReaders = false;
    // Of the read models that were lost.
    world.state.written = positionOf(1);
    const mark: FeedMark = { position: marked === undefined ? undefined : positionOf(marked) };
    const upTo = head === 0 ? undefined : positionOf(head);
    return { ...world, mark, feed: await beginFeed(world.deps, mark, upTo) };
  };

  it('counts what is in the log as fed, where it does not know better', async () => {
    expect((await begun(history)).mark.position).to.equal(positionOf(4));
  });

  it('knows what this process has fed', async () => {
    expect((await begun(history, { marked: 2 })).mark.position).to.equal(positionOf(2));
  });

  it('does not trust a mark that is not in the log', async () => {
    expect((await begun(history, { marked: 7 })).mark.position).to.equal(positionOf(4));
    expect((await begun([], { marked: 7 })).mark.position).to.equal(undefined);
  });

  it('admits readers once everything is written that the log held when it began', async () => {
    const { feed, admitted, fed } = await begun(history);
    await feed.resume(undefined);
    await feed.written(history.slice(0, 3), positionOf(3));
    expect([admitted, feed.isFilling]).to.eql([[], true]);
    await feed.written(history.slice(3), positionOf(4));
    expect([admitted, feed.isFilling]).to.eql([positions(4), false]);
    expect(fed).to.eql([]);
  });

  it('admits readers at once where the log is empty', async () => {
    const { feed, admitted, mark } = await begun([]);
    await feed.resume(undefined);
    expect([admitted, feed.isFilling, mark.position]).to.eql([[undefined], false, undefined]);
  });

  it('admits readers when it resumes where a crash has kept it from that', async () => {
    const { feed, admitted } = await begun(history);
    await feed.resume(positionOf(3));
    expect([admitted, feed.isFilling]).to.eql([[], true]);
    await feed.resume(positionOf(4));
    expect([admitted, feed.isFilling]).to.eql([positions(4), false]);
  });

  it('feeds, once it admits readers, what the bus had not confirmed', async () => {
    const { feed, fed, mark } = await begun(history, { marked: 2 });
    await feed.written(history.slice(0, 3), positionOf(3));
    expect(fed).to.eql([]);
    await feed.written(history.slice(3), positionOf(4));
    expect(fed).to.eql(positions(3, 4));
    expect(mark.position).to.equal(positionOf(4));
    await feed.written([event(5)], positionOf(5));
    expect(fed).to.eql(positions(3, 4, 5));
  });

  it('makes each redriven call once, whether or not its event is fed again', async () => {
    const events = [redriven('a', 1), event(2), redriven('b', 3), redriven('c', 4)];
    const { feed, calls } = await begun(events, { marked: 3 });
    await feed.written(events.slice(0, 2), positionOf(2));
    expect(calls).to.eql([]);
    await feed.written(events.slice(2), positionOf(4));
    expect(callIds(calls)).to.eql(['a', 'b', 'c']);
  });
});

import { expect } from 'chai';
import { viewsVersion } from '@roomwire/shared/wire/views/views';
import { auditHeadsStream } from '@roomwire/shared/domain/auditHeads';
import { EngineUnavailable } from '@roomwire/shared/ports/errors';
import { rejectionOf } from '@roomwire/testing/contracts/event-log/eventLogUnderTest';
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

  const span = (after: number, upTo: number, events: number) => ({
    ...{ viewsVersion, events },
    ...{ after: after === 0 ? '' : positionOf(after), upTo: positionOf(upTo) },
  });

  it('says behind the events how many there are in each batch, without what the service writes for itself', async () => {
    const { feed, spans, fed } = await begun(4, ...history);
    await feed.written([event(5), { ...event(6), stream: auditHeadsStream }], positionOf(6));
    await feed.written([event(7)], positionOf(7));
    expect(spans).to.eql([span(4, 6, 1), span(6, 7, 1)]);
    expect(fed).to.eql(positions(5, 7));
  });

  it('says as well how many there were that the bus had not confirmed', async () => {
    const { feed, spans } = await begun(undefined, ...history);
    await feed.resume(positionOf(3));
    expect(spans).to.eql([span(0, 3, 3)]);
  });

  it('says nothing of a batch before the bus has it', async () => {
    const { feed, spans, deps, mark } = await begun(4, ...history);
    deps.bus.send = () => Promise.reject(new EngineUnavailable('message bus'));
    expect(await rejectionOf(feed.written([event(5)], positionOf(5)))).to.be.instanceOf(EngineUnavailable);
    expect([spans, mark.position]).to.eql([[], positionOf(4)]);
  });

  describe('where there is nothing to do', () => {
    const quiet = async ({ checkpoint = 4, marked = 4 } = {}) => {
      const world = await begun(marked, ...history);
      world.deps.views.checkpoint = async () => positionOf(checkpoint);
      return world;
    };

    it('says so', async () => {
      const { feed, spans } = await quiet();
      await feed.sayIfComplete();
      expect(spans).to.eql([span(4, 4, 0)]);
    });

    it('says nothing while the log has later events: somebody may be writing them', async () => {
      const { feed, spans } = await quiet({ checkpoint: 3, marked: 3 });
      await feed.sayIfComplete();
      expect(spans).to.eql([]);
    });

    it('says nothing where another instance has written what this one has not fed', async () => {
      const { feed, spans } = await quiet({ marked: 3 });
      await feed.sayIfComplete();
      expect(spans).to.eql([]);
    });

    it('says nothing where a batch came while it looked', async () => {
      const { feed, spans, mark, deps } = await quiet();
      deps.views.checkpoint = async () => {
        mark.position = positionOf(5);
        return positionOf(4);
      };
      await feed.sayIfComplete();
      expect(spans).to.eql([]);
    });
  });
});

describe('the feed of read models that are being filled', () => {
  it('says nothing until they are', async () => {
    const world = feedWorld(writtenLog());
    world.state.admitsReaders = false;
    const feed = await beginFeed(world.deps, { position: positionOf(4) }, positionOf(4));
    await feed.written([event(1)], positionOf(1));
    await feed.sayIfComplete();
    expect(world.spans).to.eql([]);
  });

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

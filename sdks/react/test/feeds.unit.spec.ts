import { RoomwireError } from '@roomwire/sdk';
import { expect } from 'chai';
import { feedOf } from '../src/feed.js';
import { OccupancyFeed } from '../src/occupancyFeed.js';
import { TopicFeed } from '../src/topicFeed.js';
import { messageOf, ScriptedClient, settled, type ScriptedSubscription } from './scriptedClient.js';

const nobody = (): void => undefined;

describe('the feeds of the hooks', () => {
  let scripted: ScriptedClient;

  beforeEach(() => void (scripted = new ScriptedClient()));

  const subscription = (index = 0): ScriptedSubscription =>
    scripted.subscriptions[index] ?? expect.fail(`There is no subscription ${index}`);

  describe('of a topic', () => {
    const feedOfTopic = (): TopicFeed => new TopicFeed(scripted.client, 'a/b/c', { rewind: 3 });

    it('subscribe once for those who unmount and mount again at once, as strict mode does', async () => {
      const feed = feedOfTopic();
      feed.watch(nobody)();
      const unmount = feed.watch(nobody);
      await settled();
      expect(scripted.subscriptions).to.have.lengthOf(1);
      expect(subscription().options).to.include({ rewind: 3 });
      subscription().accept();
      await settled();
      expect(subscription().isOver).to.equal(false);
      unmount();
      await settled();
      expect(subscription().isOver).to.equal(true);
    });

    it('subscribe once for several components, until the last of them has gone', async () => {
      const feed = feedOfTopic();
      const [first, second] = [feed.watch(nobody), feed.watch(() => undefined)];
      subscription().accept();
      first();
      await settled();
      expect(subscription().isOver).to.equal(false);
      second();
      await settled();
      expect(subscription().isOver).to.equal(true);
      feed.watch(nobody);
      await settled();
      expect(scripted.subscriptions).to.have.lengthOf(2);
    });

    it('end a subscription that is confirmed only when nobody wants it any more, and deliver nothing of it', async () => {
      const feed = feedOfTopic();
      const seen: unknown[] = [];
      feed.listen({ onMessage: ({ data }) => void seen.push(data), onGap: nobody });
      feed.watch(nobody)();
      await settled();
      subscription().accept();
      await settled();
      expect(subscription().isOver).to.equal(true);
      void subscription().deliver(messageOf('late'));
      expect(seen).to.eql([]);
    });

    it('say how the subscription is', async () => {
      const feed = feedOfTopic();
      const states: string[] = [];
      feed.watch(() => states.push(feed.snapshot().status));
      expect(feed.snapshot().status).to.equal('subscribing');
      subscription().accept();
      await settled();
      const lost = new RoomwireError('unknown_topic');
      subscription().end(lost);
      await settled();
      expect(states).to.eql(['subscribed', 'failed']);
      expect(feed.snapshot().error).to.equal(lost);
    });

    it('say why it was refused, and try again for the next one', async () => {
      const feed = feedOfTopic();
      const unmount = feed.watch(nobody);
      const refused = new RoomwireError('unknown_topic');
      subscription().refuse(refused);
      await settled();
      expect(feed.snapshot()).to.eql({ status: 'failed', error: refused });
      unmount();
      await settled();
      feed.watch(nobody);
      expect(feed.snapshot().status).to.equal('subscribing');
      expect(scripted.subscriptions).to.have.lengthOf(2);
    });

    it('are done with a message when all listeners are, and fail with any of them', async () => {
      const feed = feedOfTopic();
      feed.watch(nobody);
      let finish = nobody;
      feed.listen({ onMessage: () => new Promise<void>((resolve) => (finish = resolve)), onGap: nobody });
      let isDone = false;
      const delivered = Promise.resolve(subscription().deliver(messageOf('1') as never));
      void delivered.then(() => (isDone = true));
      await settled();
      expect(isDone).to.equal(false);
      finish();
      await delivered;
      feed.listen({ onMessage: () => Promise.reject(new Error('broken')), onGap: nobody });
      const failed = await Promise.resolve(subscription().deliver(messageOf('2') as never)).catch(String);
      expect(failed).to.equal('Error: broken');
    });
  });

  describe('of occupancy', () => {
    it('count while they are watched, once there is a connection', async () => {
      const feed = new OccupancyFeed(scripted.client, 'lobby');
      const stop = feed.watch(nobody);
      await settled();
      expect([scripted.counts.size, feed.snapshot().present]).to.eql([0, undefined]);
      scripted.connect();
      await settled();
      scripted.connect();
      const tell = scripted.counts.get('lobby');
      tell?.(7);
      expect(feed.snapshot()).to.eql({ present: 7, error: undefined });
      stop();
      await settled();
      tell?.(8);
      expect([scripted.counts.size, feed.snapshot().present]).to.eql([0, undefined]);
    });

    it('may be mounted again before the former count has begun', async () => {
      const feed = new OccupancyFeed(scripted.client, 'lobby');
      scripted.connect();
      const stop = feed.watch(nobody);
      stop();
      await Promise.resolve();
      feed.watch(nobody);
      await settled();
      expect(feed.snapshot().error).to.equal(undefined);
      scripted.counts.get('lobby')?.(3);
      expect(feed.snapshot().present).to.equal(3);
    });

    it('begin behind a former one of the room', async () => {
      scripted.connect();
      new OccupancyFeed(scripted.client, 'lobby').watch(nobody)();
      await Promise.resolve();
      const next = new OccupancyFeed(scripted.client, 'lobby');
      next.watch(nobody);
      await settled();
      expect(next.snapshot().error).to.equal(undefined);
      scripted.counts.get('lobby')?.(3);
      expect(next.snapshot().present).to.equal(3);
    });

    it('say that they were refused on a later connection, and count again on the next', async () => {
      const feed = new OccupancyFeed(scripted.client, 'lobby');
      scripted.connect();
      const stop = feed.watch(nobody);
      await settled();
      scripted.counts.get('lobby')?.(3);
      scripted.report(new RoomwireError('broker_unavailable', { topic: 'lobby' }));
      await settled();
      expect(feed.snapshot(), 'the client goes on').to.eql({ present: 3, error: undefined });
      const refusal = new RoomwireError('unknown_topic', { topic: 'lobby' });
      scripted.refusesToEnter = refusal;
      scripted.counts.clear();
      scripted.report(refusal);
      await settled();
      expect(feed.snapshot()).to.eql({ present: undefined, error: refusal });
      scripted.refusesToEnter = undefined;
      scripted.connect();
      await settled();
      scripted.counts.get('lobby')?.(4);
      expect(feed.snapshot()).to.eql({ present: 4, error: undefined });
      stop();
      await settled();
      expect(scripted.counts.size).to.equal(0);
    });

    it('say why they were refused', async () => {
      scripted.refusesToEnter = new RoomwireError('unsupported_feature');
      const feed = new OccupancyFeed(scripted.client, 'lobby');
      feed.watch(nobody);
      scripted.connect();
      await settled();
      expect(feed.snapshot()).to.eql({ present: undefined, error: scripted.refusesToEnter });
    });
  });

  describe('of a client', () => {
    const make = (): TopicFeed => new TopicFeed(scripted.client, 'a/b/c', {});
    const found = (rewind = 1, client = scripted.client): TopicFeed =>
      feedOf(client, ['topic', 'a/b/c', { rewind }], make);

    it('are one for each key', () => {
      const first = found();
      expect(found()).to.equal(first);
      expect(found(2)).to.not.equal(first);
      expect(found(1, new ScriptedClient().client)).to.not.equal(first);
    });

    it('are forgotten when they close', async () => {
      const feed = found();
      feed.watch(nobody)();
      await settled();
      expect(found()).to.not.equal(feed);
    });

    it('are found again when they open again, unless another one has their place', async () => {
      const feed = found();
      feed.watch(nobody)();
      await settled();
      const stop = feed.watch(nobody);
      expect(found()).to.equal(feed);
      stop();
      await settled();
      const other = found();
      feed.watch(nobody)();
      await settled();
      expect(found()).to.equal(other);
    });
  });
});

import { RoomwireError } from '@roomwire/sdk';
import { expect } from 'chai';
import { MessageFeed } from '../src/messageFeed.js';
import { TopicFeed } from '../src/topicFeed.js';
import { ScriptedClient, settled, type ScriptedSubscription } from './scriptedClient.js';

const nobody = (): void => undefined;

describe('a feed that takes a topic over from another one', () => {
  let scripted: ScriptedClient;

  beforeEach(() => void (scripted = new ScriptedClient()));

  const subscription = (index = 0): ScriptedSubscription =>
    scripted.subscriptions[index] ?? expect.fail(`There is no subscription ${index}`);
  const ofTopic = (filters?: readonly string[]): TopicFeed =>
    new TopicFeed(scripted.client, 'a/b/c', filters === undefined ? {} : { filters });
  const ofMessages = (keep: number): MessageFeed =>
    new MessageFeed(scripted.client, 'a/b/c', { rewind: 50, keep });

  const handOvers = {
    'a list from a handler': () => [ofTopic(), ofMessages(500)],
    'a list from one of another length': () => [ofMessages(50), ofMessages(500)],
    'other filters from former ones': () => [ofTopic(['eu']), ofTopic(['us'])],
  } satisfies Record<string, () => [TopicFeed | MessageFeed, TopicFeed | MessageFeed]>;

  for (const [name, feeds] of Object.entries(handOvers))
    it(`subscribes when the other has ended: ${name}`, async () => {
      const [former, next] = feeds();
      const stop = former.watch(nobody);
      subscription().accept();
      await settled();
      stop();
      next.watch(nobody);
      await settled();
      expect(subscription().isOver).to.equal(true);
      expect(next.snapshot()).to.include({ status: 'subscribing', error: undefined });
      subscription(1).accept();
      await settled();
      expect(next.snapshot()).to.include({ status: 'subscribed', error: undefined });
    });

  it('waits for one that was not confirmed yet', async () => {
    const [former, next] = [ofTopic(['eu']), ofTopic(['us'])];
    former.watch(nobody)();
    next.watch(nobody);
    await settled();
    expect(scripted.subscriptions).to.have.lengthOf(1);
    subscription().accept();
    await settled();
    expect(subscription().isOver).to.equal(true);
    expect(subscription(1).options).to.deep.include({ filters: ['us'] });
  });

  it('subscribes nothing when it is over before the other has ended', async () => {
    const [former, brief, last] = [ofTopic(['eu']), ofTopic(['us']), ofTopic(['asia'])];
    former.watch(nobody)();
    brief.watch(nobody)();
    last.watch(nobody);
    await settled();
    subscription().accept();
    await settled();
    expect(scripted.subscriptions).to.have.lengthOf(2);
    subscription(1).accept();
    await settled();
    expect(last.snapshot().status).to.equal('subscribed');
  });

  it('is refused while the other is watched', async () => {
    const [former, next] = [ofTopic(['eu']), ofTopic(['us'])];
    former.watch(nobody);
    next.watch(nobody);
    await settled();
    expect(next.snapshot().status).to.equal('failed');
    expect(next.snapshot().error)
      .to.be.instanceOf(RoomwireError)
      .with.property('error', 'subscription_conflict');
  });
});

import type { Message } from '@roomwire/sdk';
import { expect } from 'chai';
import { MessageFeed } from '../src/messageFeed.js';
import { messageOf, ScriptedClient, settled, textsOf, type ScriptedSubscription } from './scriptedClient.js';

const nobody = (): void => undefined;

describe('the feeds of messages', () => {
  let scripted: ScriptedClient;

  beforeEach(() => void (scripted = new ScriptedClient()));

  const subscription = (index = 0): ScriptedSubscription =>
    scripted.subscriptions[index] ?? expect.fail(`There is no subscription ${index}`);
  const newFeed = ({ rewind, keep = 1_000 }: { rewind?: number; keep?: number } = {}): MessageFeed =>
    new MessageFeed(scripted.client, 'a/b/c', { rewind, keep });
  const open = (options: { rewind?: number; keep?: number } = {}): MessageFeed => {
    const feed = newFeed(options);
    feed.watch(nobody);
    return feed;
  };
  const come = (...messages: readonly Message[]): void =>
    messages.forEach((message) => void subscription().deliver(message));
  const texts = (feed: MessageFeed): unknown[] => textsOf(feed.snapshot().messages);

  it('ask for the history, and that none is missing, only where they are told to', async () => {
    newFeed().watch(nobody)();
    open({ rewind: 20 });
    subscription().accept();
    await settled();
    expect(subscription(0).options)
      .to.include({ meta: true, own: true })
      .and.not.have.any.keys('rewind', 'resume');
    expect(subscription(1).options).to.include({ rewind: 20, resume: true });
  });

  it('have the history and what comes in one list', () => {
    const feed = open({ rewind: 2 });
    come(messageOf('1', '1'), messageOf('2', '2'), messageOf('3', '3'));
    expect(texts(feed)).to.eql(['1', '2', '3']);
  });

  it('have what the client publishes once, also when it is replayed', async () => {
    scripted.connect();
    const feed = open({ rewind: 2 });
    come(messageOf('1', '1'));
    await feed.publish('mine', { filter: 'eu' });
    expect(texts(feed)).to.eql(['1', 'mine']);
    expect(feed.snapshot().messages[1]).to.deep.include({ filter: 'eu', isReplay: false });
    expect(feed.snapshot().messages[1]?.meta).to.include({ id: 'own', from: 'me' });
    come(messageOf('mine', '2', 'own'));
    expect(texts(feed)).to.eql(['1', 'mine']);
    expect(feed.snapshot().messages[1]?.meta?.position).to.equal('2');
  });

  it('have what the client publishes for later when it comes, and not before', async () => {
    const feed = open();
    await feed.publish('later', { deliverAt: 1 });
    come(messageOf('now'));
    expect(texts(feed)).to.eql(['now']);
    come(messageOf('later', undefined, 'own'));
    expect(texts(feed)).to.eql(['now', 'later']);
  });

  it('page back until there is nothing more', async () => {
    scripted.kept = ['1', '2', '3', '4', '5'].map((text) => messageOf(text, text));
    const feed = open({ rewind: 1 });
    come(messageOf('5', '5'));
    const loading = feed.loadEarlier(2);
    expect(feed.snapshot().isLoadingEarlier).to.equal(true);
    // Once at a time.
    await Promise.all([loading, feed.loadEarlier(2)]);
    expect(texts(feed)).to.eql(['3', '4', '5']);
    expect(feed.snapshot()).to.include({ hasEarlier: true, isLoadingEarlier: false });
    await feed.loadEarlier(3);
    expect(texts(feed)).to.eql(['1', '2', '3', '4', '5']);
    expect(feed.snapshot().hasEarlier).to.equal(false);
  });

  it('keep so many, and those that were asked for, and say that there are earlier ones', async () => {
    scripted.kept = ['1', '2', '3'].map((text) => messageOf(text, text));
    const feed = open({ rewind: 2, keep: 2 });
    come(messageOf('3', '3'), messageOf('4', '4'));
    await feed.loadEarlier(5);
    expect(texts(feed)).to.eql(['1', '2', '3', '4']);
    expect(feed.snapshot().hasEarlier).to.equal(false);
    come(messageOf('5', '5'), messageOf('6', '6'));
    expect(texts(feed)).to.eql(['3', '4', '5', '6']);
    expect(feed.snapshot().hasEarlier).to.equal(true);
  });

  it('begin anew with nothing of what was published before they ended', async () => {
    const feed = newFeed();
    feed.watch(nobody)();
    await feed.publish('late');
    feed.watch(nobody);
    await settled();
    expect(texts(feed)).to.eql([]);
  });

  it('begin anew with nothing that was loaded before they ended', async () => {
    scripted.kept = ['1', '2'].map((text) => messageOf(text, text));
    const feed = newFeed({ rewind: 1 });
    const stop = feed.watch(nobody);
    const loading = feed.loadEarlier(2);
    stop();
    await Promise.resolve();
    feed.watch(nobody);
    await loading;
    expect(texts(feed)).to.eql([]);
    expect(feed.snapshot()).to.include({ hasEarlier: true, isLoadingEarlier: false });
  });

  it('say where messages are missing', () => {
    const feed = open({ rewind: 2 });
    const gap = { topic: 'a/b/c', reason: 'expired' } as never;
    subscription().options.onGap?.(gap);
    expect(feed.snapshot().gaps).to.eql([gap]);
  });
});

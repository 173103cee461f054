import { expect } from 'chai';
import type { ClientOptions } from '../src/index.js';
import { rejection, topic, useHarness } from './support/harness.js';
import type { Peer } from './support/scriptedBroker.js';

describe('setFilters', () => {
  const harness = useHarness();
  const ignore = (): void => undefined;

  const subscribed = async (options: Partial<ClientOptions> = {}) => {
    const watched = await harness.connected(options);
    const subscribing = watched.client.subscribe(topic, ignore, { filters: ['eu'] });
    await watched.peer.confirm();
    const subscription = await subscribing;
    return { ...watched, subscription };
  };
  const confirm = async (peer: Peer) => {
    const { filters } = await peer.next('setFilters');
    peer.send({ type: 'filtersUpdated', topic, filters });
    return filters;
  };

  it('resolves when the server has confirmed', async () => {
    const { client, peer } = await subscribed();
    const setting = client.setFilters(topic, ['us', ['eu', 'urgent']]);
    expect(await peer.next('setFilters')).to.deep.equal({
      type: 'setFilters',
      topic,
      filters: ['us', ['eu', 'urgent']],
    });
    peer.send({ type: 'filtersUpdated', topic, filters: ['us', ['eu', 'urgent']] });
    await setting;
    const again = client.setFilters(topic, []);
    expect(await confirm(peer)).to.deep.equal([]);
    await again;
  });

  it('sends one at a time, and only the last of those that were set meanwhile', async () => {
    const { client, peer } = await subscribed();
    const setting = [['a'], ['b'], ['c']].map((filters) => client.setFilters(topic, filters));
    expect(await confirm(peer)).to.deep.equal(['a']);
    expect(await confirm(peer)).to.deep.equal(['c']);
    await Promise.all(setting);
  });

  it('rejects when it is refused, and keeps the previous filters', async () => {
    const { client, peer } = await subscribed();
    const refused = rejection(client.setFilters(topic, ['a/b']));
    await peer.next('setFilters');
    peer.send({ type: 'error', error: 'invalid_filter_chars (/, #, +, | not allowed)', topic });
    expect(await refused).to.include({ error: 'invalid_filter_chars', topic });
    peer.drop();
    await harness.time.pass(1_000);
    const next = await harness.broker.nextPeer();
    await next.accept();
    expect(await next.confirm()).to.deep.include({ filters: ['eu'] });
  });

  it('rejects only the filters that were refused, not later ones', async () => {
    const { client, peer } = await subscribed();
    const refused = rejection(client.setFilters(topic, ['a/b']));
    const accepted = client.setFilters(topic, ['fine']);
    await peer.next('setFilters');
    peer.send({ type: 'error', error: 'invalid_filter_chars (/, #, +, | not allowed)', topic });
    expect((await refused).error).to.equal('invalid_filter_chars');
    expect(await confirm(peer)).to.deep.equal(['fine']);
    await accepted;
  });

  it('is sent with the next subscribe when the connection is lost before the answer', async () => {
    const { client, peer } = await subscribed();
    const setting = client.setFilters(topic, ['us']);
    await peer.next('setFilters');
    peer.drop();
    await harness.time.pass(1_000);
    const next = await harness.broker.nextPeer();
    await next.accept();
    expect(await next.confirm()).to.deep.include({ filters: ['us'] });
    await setting;
  });

  it('subscribes again when the server has ended the subscription', async () => {
    const { client, peer } = await subscribed();
    const setting = client.setFilters(topic, ['us']);
    await peer.next('setFilters');
    peer.send({ type: 'error', error: 'not_subscribed', topic });
    expect(await peer.confirm()).to.deep.include({ filters: ['us'] });
    await setting;
  });

  it('accepts subscribed topics only', async () => {
    const { client, peer, subscription } = await subscribed();
    expect(await rejection(client.setFilters('chat/lobby/other', []))).to.include({
      error: 'not_subscribed',
    });
    const left = rejection(client.setFilters(topic, ['us']));
    const leaving = subscription.unsubscribe();
    await confirm(peer);
    await peer.release();
    await leaving;
    expect((await left).error).to.equal('not_subscribed');
  });

  it('rejects when no answer comes, and when the client is closed', async () => {
    const { client, peer } = await subscribed({ timeouts: { requestMs: 70 } });
    const late = rejection(client.setFilters(topic, ['us']));
    await peer.next('setFilters');
    await harness.time.pass(70);
    expect((await late).error).to.equal('request_timeout');
    const closed = rejection(client.setFilters(topic, ['asia']));
    await client.close();
    expect((await closed).error).to.equal('client_closed');
  });
});

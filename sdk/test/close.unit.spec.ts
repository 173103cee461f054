import { expect } from 'chai';
import { ConnectionError } from '../src/index.js';
import { rejection, topic, useHarness } from './support/harness.js';

describe('close', () => {
  const harness = useHarness();
  const ignore = (): void => undefined;

  it('ends the connection with 1000 and resolves when the socket is closed', async () => {
    const { client, peer, states } = await harness.connected();
    await client.close();
    expect(await peer.closed).to.equal(1000);
    const closed = await states.next();
    if (closed.name !== 'closed') throw new Error(closed.name);
    expect(closed.reason).to.be.instanceOf(ConnectionError).and.include({ error: 'client_closed' });
    expect(harness.time.pending).to.deep.equal([]);
  });

  it('rejects pending requests: publishes with an unknown outcome', async () => {
    const { client, peer } = await harness.connected();
    const subscribing = rejection(client.subscribe(topic, ignore));
    const publishing = rejection(client.publish(topic, 1));
    await peer.next('subscribe');
    await peer.next('publish');
    await client.close();
    expect((await subscribing).error).to.equal('client_closed');
    expect((await publishing).error).to.equal('connection_lost');
  });

  it('rejects ready when there was no connection', async () => {
    const { client } = harness.open();
    const ready = rejection(client.ready());
    const subscribing = rejection(client.subscribe(topic, ignore));
    await client.close();
    expect((await ready).error).to.equal('client_closed');
    expect((await subscribing).error).to.equal('client_closed');
  });

  it('ends subscriptions without an error', async () => {
    const { client, peer } = await harness.connected();
    const joining = client.subscribe(topic, ignore);
    const leaving = client.subscribe('chat/lobby/leaving', ignore);
    await peer.confirm();
    await peer.confirm();
    const unsubscribing = (await leaving).unsubscribe();
    const subscription = await joining;
    await client.close();
    expect(await subscription.ended).to.equal(undefined);
    await subscription.unsubscribe();
    await unsubscribing;
  });

  it('is final: every later request rejects', async () => {
    const { client } = await harness.connected();
    await client.close();
    for (const later of [
      client.ready(),
      client.publish(topic, 1),
      client.subscribe(topic, ignore),
      client.stream(topic),
    ])
      expect((await rejection(later)).error).to.equal('client_closed');
  });

  it('may be repeated, also by a listener', async () => {
    const { client, states } = await harness.connected();
    client.on('state', () => void client.close());
    await Promise.all([client.close(), client.close()]);
    await client.close();
    expect(await states.next()).to.include({ name: 'closed' });
    expect(states.length).to.equal(0);
  });

  it('ends the wait for the next attempt', async () => {
    const { client, peer, states } = await harness.connected();
    peer.drop();
    await states.next();
    await client.close();
    expect(harness.time.pending).to.deep.equal([]);
  });

  it('by a listener ends the attempt that the listener was notified of', async () => {
    let asked = 0;
    const { client, peer, states } = await harness.connected({ token: () => `t${++asked}` });
    client.on('state', ({ name }) => void (name === 'connecting' && client.close()));
    peer.drop();
    await harness.time.pass(1_000);
    await states.until((state) => state.name === 'closed');
    expect(asked).to.equal(1);
  });

  it('while the token is requested opens no socket', async () => {
    let give: (token: string) => void = ignore;
    const { client } = harness.open({ token: () => new Promise((resolve) => (give = resolve)) });
    await client.close();
    give('t1');
    const other = harness.open({ token: 'other' });
    expect(await (await harness.broker.nextPeer()).accept()).to.include({ token: 'other' });
    await other.client.ready();
  });

  it('waits no longer for a token, so that the process may end', async () => {
    const silent = new Promise<string>(ignore);
    const { client } = harness.open({ token: () => silent });
    await client.close();
    expect(harness.time.pending).to.deep.equal([]);
  });

  it('does not wait for an unreachable peer', async () => {
    const { client, peer } = await harness.connected({ timeouts: { closeMs: 44 } });
    peer.freeze();
    const closing = client.close();
    await harness.time.pass(44);
    await closing;
  });
});

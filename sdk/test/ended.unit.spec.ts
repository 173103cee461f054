import { expect } from 'chai';
import { rejection, topic, useHarness } from './support/harness.js';
import { Queue } from './support/queue.js';

const ignore = (): void => undefined;

describe('a subscription that rights have ended', () => {
  const harness = useHarness();
  const ended = { type: 'subscriptionEnded', topic, reason: 'grant_revoked' };
  const error = { error: 'subscription_ended', topic, reason: 'grant_revoked' };

  const subscribed = async () => {
    const watched = await harness.connected();
    const joining = watched.client.subscribe(topic, ignore);
    await watched.peer.confirm();
    return { ...watched, subscription: await joining };
  };

  it('ends with the reason, and is an event', async () => {
    const { client, peer, errors, subscription } = await subscribed();
    const events = new Queue<unknown>();
    client.on('subscriptionEnded', (event) => events.push(event));
    peer.send(ended);
    expect(await events.next()).to.deep.equal({ topic, reason: 'grant_revoked' });
    expect(await subscription.ended).to.include(error);
    expect(await errors.next()).to.equal(await subscription.ended);
    expect((await subscription.ended)?.message)
      .to.include('grant_revoked')
      .and.include(topic);
    await subscription.unsubscribe();
  });

  it('ends the loop with an error', async () => {
    const { client, peer } = await harness.connected();
    const opening = client.stream(topic);
    await peer.confirm();
    const stream = await opening;
    peer.send({ type: 'message', topic, data: 'last' });
    peer.send(ended);
    const seen: unknown[] = [];
    const failure = rejection(
      (async () => {
        for await (const { data } of stream) seen.push(data);
      })(),
    );
    expect(await failure).to.include(error);
    expect(seen).to.deep.equal(['last']);
  });

  it('is not made again after a reconnect, and may be made anew', async () => {
    const { client, peer, subscription } = await subscribed();
    peer.send(ended);
    await subscription.ended;
    peer.drop();
    await harness.time.pass(1_000);
    const next = await harness.broker.nextPeer();
    await next.accept();
    await client.ready();
    const again = client.subscribe(topic, ignore);
    await next.confirm();
    await again;
  });

  it('takes the answer to new filters with it, and nothing else', async () => {
    const { client, peer, errors, subscription } = await subscribed();
    const setting = rejection(client.setFilters(topic, ['eu']));
    await peer.next('setFilters');
    peer.send(ended);
    expect(await setting).to.include(error);
    expect(await subscription.ended).to.include(error);
    const again = client.subscribe(topic, ignore);
    peer.send({ type: 'error', error: 'not_subscribed', topic });
    await peer.confirm();
    await again;
    expect(await errors.next()).to.include(error);
    expect(errors, 'the answer to the filters is none').to.have.length(0);
  });

  it('is of no consequence where the subscription is on its way out, or unknown', async () => {
    const { peer, errors, subscription } = await subscribed();
    const leaving = subscription.unsubscribe();
    await peer.next('unsubscribe');
    peer.send(ended);
    peer.send({ ...ended, topic: 'chat/lobby/other' });
    peer.send({ type: 'unsubscribed', topic });
    await leaving;
    expect(await subscription.ended).to.equal(undefined);
    expect(errors).to.have.length(0);
  });

  it('is not asked about where `notices` is false', async () => {
    harness.open({ notices: false });
    expect(await (await harness.broker.nextPeer()).accept()).to.not.have.property('notices');
  });
});

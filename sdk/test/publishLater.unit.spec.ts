import { expect } from 'chai';
import { rejection, topic, useHarness } from './support/harness.js';

const features = ['idempotency', 'schedules'];
const deliverAt = new Date('2030-01-01T00:00:00.000Z');

describe('publish for later', () => {
  const harness = useHarness();

  it('says when, and resolves with what it can be cancelled by', async () => {
    const { client, peer } = await harness.connected({}, { features });
    for (const when of [deliverAt, deliverAt.getTime()]) {
      const publishing = client.publish(topic, 1, { id: 'reminder-1', deliverAt: when });
      const frame = await peer.next('publish');
      expect(frame).to.include({ deliverAt: deliverAt.getTime(), id: 'reminder-1' });
      peer.send({ type: 'published', topic, msgRef: frame.msgRef, id: frame.id, scheduledId: 's-1' });
      expect(await publishing).to.deep.equal({ id: 'reminder-1', duplicate: false, scheduledId: 's-1' });
    }
  });

  it('is refused where the server would publish it at once', async () => {
    const { client, peer } = await harness.connected({}, { features: ['idempotency'] });
    const error = await rejection(client.publish(topic, 1, { deliverAt }));
    expect(error).to.include({ error: 'unsupported_feature', topic });
    void client.publish(topic, 'marker').catch(() => undefined);
    expect(await peer.next('publish'), 'nothing was sent').to.include({ data: 'marker' });
  });

  it('is sent again to a server that knows of it, and to no other', async () => {
    const { client, peer } = await harness.connected({}, { features });
    const later = rejection(client.publish(topic, 'later', { deliverAt }));
    const now = client.publish(topic, 'now');
    await peer.next('publish');
    await peer.next('publish');
    peer.drop();
    await harness.time.pass(1_000);
    const older = await harness.broker.nextPeer();
    await older.accept({ features: ['idempotency'] });
    expect(await later).to.include({ error: 'connection_lost', topic });
    const { msgRef, data } = await older.next('publish');
    expect(data).to.equal('now');
    older.send({ type: 'published', topic, msgRef });
    await now;
  });
});

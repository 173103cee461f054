import { expect } from 'chai';
import { liveMessages, type LiveMessage } from '@roomwire/shared/wire/bus/liveMessage';
import type { ChannelReader } from '@roomwire/shared/ports/messageBus';
import { eventually } from '@roomwire/testing/run/eventually';
import type { FrameClient } from '@roomwire/testing/clients/frameClient';
import { World } from '../../support/world.js';

describe('two gateways on one bus', () => {
  let world: World;
  let topic: string;

  beforeEach(async () => {
    world = await World.open();
    await world.startGateway();
    topic = await world.newsroom();
  });

  afterEach(() => world.close());

  it('[WS-PUB-1] deliver to the subscribers of both', async () => {
    const near = await (await world.join({}, 0)).subscribe(topic);
    const far = await (await world.join({}, 1)).subscribe(topic);
    (await world.join({}, 0)).publish(topic, 'to both');
    for (const reader of [near, far]) {
      expect(await reader.next()).to.deep.equal({ type: 'message', topic, data: 'to both' });
    }
  });

  it('[WS-PUB-2] echo to no connection of the publisher on either', async () => {
    const { token } = await world.actor();
    const here = await (await world.joinAs(token, 0)).subscribe(topic);
    const there = await (await world.joinAs(token, 1)).subscribe(topic);
    here.publish(topic, 'own');
    (await world.join({}, 1)).publish(topic, 'marker');
    for (const client of [here, there]) expect(await client.next()).to.include({ data: 'marker' });
  });

  it('[WS-FILTER-3] match filters on the gateway of the subscriber', async () => {
    const far = await (await world.join({}, 1)).subscribe(topic, { filters: [['eu', 'urgent']] });
    const writer = await world.join({}, 0);
    writer
      .publish(topic, 'no', { filter: 'eu' })
      .publish(topic, 'yes', { filter: 'eu', filters: ['urgent'] });
    expect(await far.next()).to.deep.equal({ type: 'message', topic, data: 'yes', filter: 'eu' });
  });

  it('[WS-AUTH-7] both close the connections of an actor that is deleted', async () => {
    const { record, token } = await world.actor();
    const clients = [await world.joinAs(token, 0), await world.joinAs(token, 1)];
    await world.happened({ type: 'ActorDeleted', data: { actorTokenId: record.actorTokenId } });
    for (const client of clients) expect(await client.closed).to.include({ code: 4001 });
  });

  it('[WS-CONN-7] the one continues when the other closes', async () => {
    const staying = await (await world.join({}, 1)).subscribe(topic);
    await world.gateway.close();
    (await world.join({}, 1)).publish(topic, 'still here');
    expect(await staying.next()).to.include({ data: 'still here' });
  });
});

describe('A duplicate on the bus', () => {
  let world: World;
  let topic: string;
  let writer: FrameClient;
  let seen: LiveMessage[];
  let onBus: ChannelReader;

  beforeEach(async () => {
    world = await World.open();
    topic = await world.newsroom();
    writer = await world.join();
    seen = [];
    onBus = await world.bus.read(liveMessages, { interest: 'all' }, (message) => void seen.push(message));
  });

  afterEach(async () => {
    await onBus.close();
    await world.close();
  });

  /** A message that is published, and comes twice. */
  const publishTwice = async (data: string, options: Readonly<Record<string, unknown>>): Promise<void> => {
    await writer.publish(topic, data, { ...options, msgRef: data }).next();
    await eventually(() => seen.length > 0);
    await world.bus.send(liveMessages, seen.at(-1) as LiveMessage, 'stored');
  };

  it('[WS-PUB-10] of a message of QoS 2 is dropped, and counted', async () => {
    const reader = await (await world.join()).subscribe(topic);
    await publishTwice('two', { qos: 2 });
    writer.publish(topic, 'marker');
    expect(await reader.next()).to.include({ data: 'two' });
    expect(await reader.next()).to.include({ data: 'marker' });
    expect(world.gateway.metrics.secondCopies).to.equal(1);
  });

  it('[WS-PUB-10] of a message of QoS 1 is delivered: at least once', async () => {
    const reader = await (await world.join()).subscribe(topic);
    await publishTwice('one', { qos: 1 });
    for (let copy = 1; copy <= 2; copy++) expect(await reader.next()).to.include({ data: 'one' });
    expect(world.gateway.metrics.secondCopies).to.equal(0);
  });

  it('[WS-PUB-10] differs from a message that is published again', async () => {
    const reader = await (await world.join()).subscribe(topic);
    writer.publish(topic, 'same', { qos: 2 }).publish(topic, 'same', { qos: 2 });
    for (let publish = 1; publish <= 2; publish++) expect(await reader.next()).to.include({ data: 'same' });
  });

  it('[WS-PUB-10] of a retained message is dropped too', async () => {
    const reader = await (await world.join()).subscribe(topic);
    await publishTwice('kept', { qos: 2, retain: true });
    writer.publish(topic, 'marker');
    expect(await reader.next()).to.include({ data: 'kept' });
    expect(await reader.next()).to.include({ data: 'marker' });
  });
});

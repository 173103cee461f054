import { expect } from 'chai';
import { liveMessages, type LiveMessage } from '@roomwire/shared/wire/bus/liveMessage';
import type { ChannelReader } from '@roomwire/shared/ports/messageBus';
import { eventually } from '@roomwire/testing/run/eventually';
import type { FrameClient } from '@roomwire/testing/clients/frameClient';
import { World } from '../support/world.js';

describe('A second copy on the bus', () => {
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

  it('[WS-PUB-10] is not taken for what is published again', async () => {
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

import { expect } from 'chai';
import type { FrameClient } from '@roomwire/testing/clients/frameClient';
import { World } from '../support/world.js';

describe('setFilters', () => {
  let world: World;
  let topic: string;
  let reader: FrameClient;
  let writer: FrameClient;

  beforeEach(async () => {
    world = await World.open();
    topic = await world.newsroom();
    reader = await (await world.join()).subscribe(topic, { filters: ['eu'] });
    writer = await world.join();
  });

  afterEach(() => world.close());

  const setFilters = (filters: unknown) => reader.ask({ type: 'setFilters', topic, filters });

  it('[WS-FILTER-5] replaces the whole set', async () => {
    const filters = ['us', ['asia', 'urgent']];
    expect(await setFilters(filters)).to.deep.equal({ type: 'filtersUpdated', topic, filters });
    writer.publish(topic, 'former', { filter: 'eu' }).publish(topic, 'half', { filter: 'asia' });
    writer.publish(topic, 'group', { filters: ['asia', 'urgent'] }).publish(topic, 'plain', { filter: 'us' });
    expect(await reader.next()).to.include({ data: 'group' });
    expect(await reader.next()).to.include({ data: 'plain' });
  });

  it('[WS-FILTER-5] with none every message is delivered, without values too', async () => {
    expect(await setFilters([])).to.deep.equal({ type: 'filtersUpdated', topic, filters: [] });
    writer.publish(topic, 'any').publish(topic, 'filtered', { filter: 'us' });
    expect(await reader.next()).to.include({ data: 'any' });
    expect(await reader.next()).to.include({ data: 'filtered' });
    await setFilters(['eu']);
    writer.publish(topic, 'none').publish(topic, 'marker', { filter: 'eu' });
    expect(await reader.next()).to.include({ data: 'marker' });
  });

  it('[WS-FILTER-5] on a topic that is not subscribed is not_subscribed', async () => {
    const chat = 'app-1/lobby/chat';
    expect(await reader.ask({ type: 'setFilters', topic: chat, filters: ['x'] })).to.deep.equal({
      type: 'error',
      error: 'not_subscribed',
      topic: chat,
    });
    await reader.ask({ type: 'unsubscribe', topic });
    expect(await setFilters(['x'])).to.include({ error: 'not_subscribed', topic });
  });

  it('[WS-FILTER-5] that is refused leaves the set as it was', async () => {
    const refused: [unknown, string][] = [
      [['a/b'], 'invalid_filter_chars (/, #, +, | not allowed)'],
      [[['one']], 'invalid_filter_chars (/, #, +, | not allowed)'],
      [Array<string>(101).fill('x'), 'too_many_filters (max 100)'],
    ];
    for (const [filters, error] of refused) {
      expect(await setFilters(filters)).to.deep.equal({ type: 'error', error, topic });
    }
    expect(await setFilters(undefined)).to.include({ error: 'invalid_frame', topic });
    writer.publish(topic, 'other', { filter: 'x' }).publish(topic, 'as before', { filter: 'eu' });
    expect(await reader.next()).to.include({ data: 'as before' });
  });

  it('[WS-FILTER-3] a message that several filters match comes once', async () => {
    await setFilters(['eu', 'us', ['eu', 'us'], ['us', 'eu', 'urgent']]);
    writer.publish(topic, 1, { filter: 'eu', filters: ['us', 'urgent', 'us'] });
    writer.publish(topic, 2, { filter: 'us' });
    expect(await reader.next()).to.include({ data: 1 });
    expect(await reader.next()).to.include({ data: 2 });
  });

  it('[WS-SUB-2] options that are switched while messages come lose none and double none', async () => {
    const count = 40;
    for (let n = 0; n < count; n++) {
      writer.publish(topic, n, { filters: ['eu', 'us'] });
      const sets = [['us'], [], ['eu'], [['eu', 'us']]];
      const filters = sets[n % sets.length];
      reader.send(
        n % 3 === 0
          ? { type: 'setFilters', topic, filters }
          : { type: 'subscribe', topic, filters, qos: n % 3 },
      );
    }
    const data: unknown[] = [];
    for (let frames = 0; frames < 2 * count; frames++) {
      const frame = await reader.next();
      if (frame !== 'heartbeat' && frame['type'] === 'message') data.push(frame['data']);
    }
    expect(data).to.deep.equal(Array.from({ length: count }, (_, n) => n));
  });
});

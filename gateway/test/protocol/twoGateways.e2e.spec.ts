import { expect } from 'chai';
import { World } from '../support/world.js';

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

  it('[WS-CONN-7] the one goes on when the other closes', async () => {
    const staying = await (await world.join({}, 1)).subscribe(topic);
    await world.gateway.close();
    (await world.join({}, 1)).publish(topic, 'still here');
    expect(await staying.next()).to.include({ data: 'still here' });
  });
});

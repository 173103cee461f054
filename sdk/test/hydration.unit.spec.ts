import { expect } from 'chai';
import type { Hydration, UnplacedHydration } from '../src/index.js';
import { topic, useHarness } from './support/harness.js';
import { Queue } from './support/queue.js';

const ignore = (): void => undefined;

describe('a hydration', () => {
  const harness = useHarness();
  const frame = { type: 'hydration', topic: 'lines', data: { unread: 3 } };
  const hydration = { topic, data: { unread: 3 } };

  it('comes to its subscription, by the option and as an event, and to the client', async () => {
    const { client, peer } = await harness.connected();
    const all = new Queue<UnplacedHydration>();
    const [given, heard] = [new Queue<Hydration>(), new Queue<Hydration>()];
    client.on('hydration', (event) => all.push(event));
    const joining = client.subscribe(topic, ignore, { onHydration: (event) => given.push(event) });
    await peer.confirm();
    const subscription = await joining;
    subscription.on('hydration', (event) => heard.push(event));
    peer.send(frame);
    expect(await given.next()).to.deep.equal(hydration);
    expect(await heard.next()).to.deep.equal(hydration);
    expect(await all.next()).to.deep.equal({ name: 'lines', topics: [topic], data: { unread: 3 } });
    subscription.on('hydration', (event) => heard.push(event));
    expect(await heard.next(), 'for those who listen later').to.deep.equal(hydration);
  });

  it('comes to a stream, and again after a reconnect', async () => {
    const { client, peer } = await harness.connected();
    const given = new Queue<Hydration>();
    const opening = client.stream(topic, { onHydration: (event) => given.push(event) });
    await peer.confirm();
    await opening;
    peer.send(frame);
    await given.next();
    peer.drop();
    await harness.time.pass(1_000);
    const next = await harness.broker.nextPeer();
    await next.accept();
    await next.confirm();
    next.send({ ...frame, data: 2 });
    expect(await given.next()).to.deep.equal({ topic, data: 2 });
  });

  it('that may be for two topics of one name is told to the client alone', async () => {
    const { client, peer } = await harness.connected();
    const other = 'chat/yard/lines';
    const all = new Queue<UnplacedHydration>();
    const given = new Queue<Hydration>();
    client.on('hydration', (event) => all.push(event));
    const options = { onHydration: (event: Hydration) => void given.push(event) };
    const joining = Promise.all([topic, other].map((one) => client.subscribe(one, ignore, options)));
    await peer.confirm();
    await peer.confirm();
    await joining;
    peer.send(frame);
    expect(await all.next())
      .to.include({ name: 'lines' })
      .and.have.deep.property('topics', [topic, other]);
    expect(given).to.have.length(0);
  });

  it('is that of a later subscription, where the earlier one of the same name has its own', async () => {
    const { client, peer } = await harness.connected();
    const given = new Queue<Hydration>();
    const options = { onHydration: (event: Hydration) => void given.push(event) };
    for (const one of [topic, 'chat/yard/lines']) {
      const joining = client.subscribe(one, ignore, options);
      await peer.confirm();
      await joining;
      peer.send(frame);
      expect(await given.next()).to.include({ topic: one });
    }
  });

  it('that nobody has asked for is told to the client, and a handler that throws harms nothing', async () => {
    const { client, peer, errors } = await harness.connected();
    const all = new Queue<UnplacedHydration>();
    client.on('hydration', (event) => all.push(event));
    peer.send(frame);
    expect(await all.next()).to.deep.equal({ name: 'lines', topics: [], data: { unread: 3 } });
    const joining = client.subscribe(topic, ignore, {
      onHydration: () => {
        throw new Error('mine');
      },
    });
    await peer.confirm();
    await joining;
    peer.send(frame);
    expect(await errors.next()).to.include({ error: 'handler_failed', topic });
    expect(await all.next())
      .to.have.property('topics')
      .with.length(1);
  });
});

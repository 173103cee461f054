import { expect } from 'chai';
import { topic, useHarness } from './support/harness.js';

describe('heartbeat', () => {
  const harness = useHarness();
  const empty = new Uint8Array(0);

  it('is an empty frame every 30 s, starting at the authentication', async () => {
    const { peer } = await harness.connected();
    for (let i = 0; i < 3; i++) {
      await harness.time.pass(30_000);
      await peer.next('heartbeat');
      peer.sendRaw(empty);
    }
  });

  it('detects a dead connection, and opens a new one', async () => {
    const { client, peer, states } = await harness.connected();
    await harness.time.pass(30_000);
    await peer.next('heartbeat');
    await harness.time.pass(10_000);
    expect(await states.next()).to.have.nested.property('reason.error', 'heartbeat_timeout');
    expect(await peer.closed).to.equal(1006);
    await harness.time.pass(1_000);
    await (await harness.broker.nextPeer()).accept();
    await client.ready();
  });

  for (const [what, answer] of [
    ['its echo', (peer) => peer.sendRaw(empty)],
    ['any other frame', (peer) => peer.send({ type: 'message', topic, data: 1 })],
  ] as [string, (peer: Awaited<ReturnType<typeof harness.connected>>['peer']) => void][])
    it(`treats ${what} as a sign of life`, async () => {
      const { client, peer, errors } = await harness.connected();
      await harness.time.pass(30_000);
      await peer.next('heartbeat');
      expect(harness.time.pending).to.include(10_000);
      answer(peer);
      peer.send({ type: 'error', error: 'marker' });
      await errors.next();
      expect(harness.time.pending).to.deep.equal([30_000]);
      expect(client.state.name).to.equal('connected');
    });

  it('is planned anew by the frame that answers the last one: browsers delay timers that timers set', async () => {
    const planned: number[] = [];
    const { peer, errors } = await harness.connected({
      schedule: (action, delayMs) => {
        planned.push(delayMs);
        return harness.time.schedule(action, delayMs);
      },
    });
    await harness.time.pass(30_000);
    await peer.next('heartbeat');
    planned.length = 0;
    peer.sendRaw(empty);
    peer.send({ type: 'error', error: 'marker' });
    await errors.next();
    expect(planned, 'by the answer, and not by the frame behind it').to.deep.equal([30_000]);
    expect(harness.time.pending).to.deep.equal([30_000]);
  });

  it('counts from the first heartbeat without an answer, also when the interval is shorter', async () => {
    const { peer, states } = await harness.connected({ heartbeat: { intervalMs: 20, timeoutMs: 50 } });
    await harness.time.pass(20);
    await harness.time.pass(20);
    await peer.next('heartbeat');
    await peer.next('heartbeat');
    expect(harness.time.pending).to.deep.equal([50, 20]);
    await harness.time.pass(50);
    expect(await states.next()).to.have.nested.property('reason.error', 'heartbeat_timeout');
  });
});

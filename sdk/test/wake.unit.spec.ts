import { expect } from 'chai';
import { plainBackoff, useHarness } from './support/harness.js';

/** Stands for a page: the test fires the events. */
class FakePage extends EventTarget {
  visibilityState = 'hidden';
}

describe('a page that is used again', () => {
  const harness = useHarness();
  const globals = globalThis as Record<string, unknown>;
  let page: FakePage;
  let window: EventTarget;

  beforeEach(() => {
    page = new FakePage();
    window = new EventTarget();
    globals['document'] = page;
    for (const name of ['addEventListener', 'removeEventListener'] as const)
      globals[name] = window[name].bind(window);
  });
  afterEach(() => {
    for (const name of ['document', 'addEventListener', 'removeEventListener'])
      Reflect.deleteProperty(globals, name);
  });

  const waiting = async () => {
    const watched = await harness.connected();
    watched.peer.drop();
    expect(await watched.states.next()).to.include({ name: 'waiting' });
    return watched;
  };

  const isBack = async (client: { ready(): Promise<unknown> }): Promise<void> => {
    await (await harness.broker.nextPeer()).accept();
    await client.ready();
    expect(harness.time.pending, 'and no attempt more').to.deep.equal([30_000]);
  };

  it('ends the wait when the network is back', async () => {
    const { client } = await waiting();
    window.dispatchEvent(new Event('online'));
    await isBack(client);
  });

  it('ends the wait when it is shown, and not when it is hidden', async () => {
    const { client } = await waiting();
    page.dispatchEvent(new Event('visibilitychange'));
    expect(client.state.name).to.equal('waiting');
    expect(harness.time.pending).to.deep.equal([plainBackoff.baseMs]);
    page.visibilityState = 'visible';
    page.dispatchEvent(new Event('visibilitychange'));
    await isBack(client);
  });

  it('asks at once whether a connection is still there', async () => {
    const { peer, states } = await harness.connected();
    window.dispatchEvent(new Event('online'));
    await peer.next('heartbeat');
    expect(harness.time.pending.sort()).to.deep.equal([10_000, 30_000]);
    await harness.time.pass(10_000);
    expect(await states.next()).to.have.nested.property('reason.error', 'heartbeat_timeout');
  });

  it('has no hold on a client that is closed', async () => {
    const { client } = await waiting();
    await client.close();
    window.dispatchEvent(new Event('online'));
    expect(client.state.name).to.equal('closed');
    expect(harness.time.pending).to.deep.equal([]);
  });
});

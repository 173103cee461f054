import { expect } from 'chai';
import type { TokenFunction, TokenRequest } from '../src/index.js';
import { rejection, useHarness } from './support/harness.js';

/** Gives these tokens one after the other, the last one again and again. */
const tokens = (...given: string[]): { token: TokenFunction; requests: TokenRequest[] } => {
  const requests: TokenRequest[] = [];
  const token = async (request: TokenRequest): Promise<string> => {
    requests.push(request);
    return given[Math.min(requests.length, given.length) - 1] ?? '';
  };
  return { token, requests };
};

describe('token function', () => {
  const harness = useHarness();

  it('is called at every connect', async () => {
    const { token, requests } = tokens('t1', 't2');
    const { client } = harness.open({ token });
    const peer = await harness.broker.nextPeer();
    expect(await peer.accept()).to.include({ token: 't1' });
    await client.ready();
    peer.drop();
    await harness.time.pass(1_000);
    expect(await (await harness.broker.nextPeer()).accept()).to.include({ token: 't2' });
    expect(requests).to.deep.equal([{ refused: undefined }, { refused: undefined }]);
  });

  it('may be synchronous', async () => {
    harness.open({ token: () => 't1' });
    expect(await (await harness.broker.nextPeer()).next('auth')).to.include({ token: 't1' });
  });

  it('is called again after a refusal, with the reason', async () => {
    const { token, requests } = tokens('t1', 't2');
    const { client } = harness.open({ token });
    await (await harness.broker.nextPeer()).refuse('access_denied');
    await harness.time.pass(1_000);
    expect(await (await harness.broker.nextPeer()).accept()).to.include({ token: 't2' });
    await client.ready();
    expect(requests[1]?.refused).to.include({ error: 'access_denied' });
  });

  it('ends the client when it returns a refused token again', async () => {
    const { token } = tokens('t1', 't2', 't2');
    const { client } = harness.open({ token });
    const ready = rejection(client.ready());
    await (await harness.broker.nextPeer()).refuse('access_denied');
    await harness.time.pass(1_000);
    await (await harness.broker.nextPeer()).refuse('access_denied');
    await harness.time.pass(3_000);
    expect((await ready).error).to.equal('access_denied');
  });

  it('may return the same token again when the refusal had another reason', async () => {
    const { token } = tokens('t1');
    const { client } = harness.open({ token });
    await (await harness.broker.nextPeer()).refuse('connection_limit_reached');
    await harness.time.pass(1_000);
    await (await harness.broker.nextPeer()).accept();
    await client.ready();
  });

  it('lets the client reconnect soon when a client token has expired', async () => {
    const { token, requests } = tokens('t1', 't2');
    const { client, peer, states } = await harness.connected({ token });
    peer.send({ type: 'disconnect', reason: 'token_expired' });
    peer.close(4003, 'token_expired');
    expect(await states.next()).to.include({ name: 'waiting', retryInMs: 150 });
    await harness.time.pass(150);
    expect(await (await harness.broker.nextPeer()).accept()).to.include({ token: 't2' });
    await client.ready();
    expect(requests[1]?.refused).to.include({ closeCode: 4003, closeReason: 'token_expired' });
  });

  it('ends the client after 4001 when it has no other token', async () => {
    const { token } = tokens('t1');
    const { peer, states } = await harness.connected({ token });
    peer.close(4001, 'token_revoked');
    expect(await states.next()).to.include({ name: 'waiting', retryInMs: 1_000 });
    await harness.time.pass(1_000);
    const closed = await states.until((state) => state.name === 'closed');
    expect(closed).to.have.nested.property('reason.closeReason', 'token_revoked');
  });

  for (const [how, token] of [
    ['rejects', () => Promise.reject(new Error('no network'))],
    [
      'throws',
      () => {
        throw new Error('no network');
      },
    ],
    ['gives nothing', () => ''],
  ] as [string, TokenFunction][])
    it(`is called again when it ${how}`, async () => {
      let asked = 0;
      const { states } = harness.open({
        token: (request) => (asked++ === 0 ? token(request) : 't2'),
      });
      expect(await states.next()).to.have.nested.property('reason.error', 'token_unavailable');
      await harness.time.pass(1_000);
      expect(await (await harness.broker.nextPeer()).next('auth')).to.include({ token: 't2' });
    });
});

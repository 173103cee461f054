import { createServer as createHttpServer } from 'node:http';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { expect } from 'chai';
import { AuthenticationError, ConnectionError } from '../src/index.js';
import { clientName } from '../src/version.js';
import { rejection, useHarness } from './support/harness.js';
import { session } from './support/scriptedBroker.js';

describe('connect', () => {
  const harness = useHarness();

  it('sends auth first, as protocol version 2', async () => {
    const { client } = harness.open({ token: 'at_live_7.secret' });
    const peer = await harness.broker.nextPeer();
    const auth = await peer.accept();
    expect(auth).to.deep.equal({
      type: 'auth',
      token: 'at_live_7.secret',
      protocolVersion: 2,
      reconnect: false,
      features: true,
      notices: true,
      sdk: clientName,
    });
    const expected = { ...session, features: [] };
    expect(await client.ready()).to.deep.equal(expected);
    expect(client.state).to.deep.equal({ name: 'connected', session: expected });
  });

  it('knows the features of the server, and none of one that does not say', async () => {
    const { client } = harness.open();
    expect(client.features).to.deep.equal([]);
    const first = await harness.broker.nextPeer();
    await first.accept({ features: ['meta', 'own'] });
    await client.ready();
    expect(client.features).to.deep.equal(['meta', 'own']);
    first.drop();
    await harness.time.pass(1_000);
    expect(client.features, 'as of the last connection').to.deep.equal(['meta', 'own']);
    await (await harness.broker.nextPeer()).accept();
    await client.ready();
    expect(client.features).to.deep.equal([]);
  });

  it('sends the client id, the project id and the resume option', async () => {
    harness.open({ clientId: 'worker-1', projectId: 'p1', resume: true });
    const peer = await harness.broker.nextPeer();
    expect(await peer.next('auth')).to.include({ clientId: 'worker-1', projectId: 'p1', reconnect: true });
  });

  it('is connecting from the start, and reports each change', async () => {
    const { client, states } = harness.open();
    expect(client.state).to.deep.equal({ name: 'connecting', failures: 0 });
    await (await harness.broker.nextPeer()).accept();
    expect(await states.next()).to.include({ name: 'connected' });
  });

  it('resolves ready at once when it is connected', async () => {
    const { client } = await harness.connected();
    expect((await client.ready()).actorType).to.equal('service');
  });

  for (const error of ['access_denied', 'token_expired'])
    it(`is closed for good by ${error} with a fixed token`, async () => {
      const { client, states } = harness.open();
      const ready = rejection(client.ready());
      const peer = await harness.broker.nextPeer();
      await peer.refuse(error);
      expect(await ready)
        .to.be.instanceOf(AuthenticationError)
        .and.include({ error });
      expect(await states.next()).to.include({ name: 'closed', reason: await ready });
      expect(await peer.closed).to.equal(1000);
      expect((await rejection(client.ready())).error).to.equal(error);
    });

  for (const error of [
    'authentication_failed',
    'connection_failed',
    'connection_limit_reached',
    'broker_unavailable',
  ])
    it(`retries after ${error}`, async () => {
      const { client, states } = harness.open();
      await (await harness.broker.nextPeer()).refuse(error);
      const waiting = await states.next();
      expect(waiting).to.include({ name: 'waiting', failures: 1, retryInMs: 1_000 });
      expect(waiting).to.have.nested.property('reason.error', error);
      await harness.time.pass(1_000);
      await (await harness.broker.nextPeer()).accept();
      await client.ready();
    });

  it('retries when auth is answered by an error frame', async () => {
    const { states } = harness.open();
    const peer = await harness.broker.nextPeer();
    await peer.next('auth');
    peer.send({ type: 'error', error: 'invalid_frame' });
    expect(await states.next()).to.have.nested.property('reason.error', 'invalid_frame');
  });

  it('retries when auth is not answered in time', async () => {
    const { states } = harness.open({ timeouts: { authMs: 77 } });
    const peer = await harness.broker.nextPeer();
    await peer.next('auth');
    await harness.time.pass(77);
    expect(await states.next()).to.have.nested.property('reason.error', 'auth_timeout');
    expect(await peer.closed).to.equal(1006);
  });

  it('is closed for good by a server of protocol version 1', async () => {
    const { client } = harness.open();
    const ready = rejection(client.ready());
    await (await harness.broker.nextPeer()).accept({ protocolVersion: 1 });
    expect((await ready).error).to.equal('unsupported_protocol');
  });

  it('ignores frames before the auth reply', async () => {
    const { client } = harness.open();
    const peer = await harness.broker.nextPeer();
    peer.send({ type: 'message', topic: 'a/b/c', data: 1 });
    await peer.accept();
    await client.ready();
  });

  it('reports why the server cannot be reached, and retries', async () => {
    const { url } = harness.broker;
    await harness.broker.close();
    const { states } = harness.open({ url });
    const waiting = await states.next();
    if (waiting.name !== 'waiting') throw new Error(waiting.name);
    expect(waiting.reason)
      .to.be.instanceOf(ConnectionError)
      .and.include({ error: 'unreachable', closeCode: 1006 });
    expect(waiting.reason.cause).to.have.property('code', 'ECONNREFUSED');
  });

  it('tells a wrong path by HTTP 404, and retries', async () => {
    const server = createHttpServer();
    // As the gateway answers the upgrade of any path but its own.
    server.on('upgrade', (_, socket) => socket.end('HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n'));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const url = `ws://127.0.0.1:${(server.address() as AddressInfo).port}/socket`;
    const { states } = harness.open({ url });
    const waiting = await states.next();
    expect(waiting).to.include({ name: 'waiting', retryInMs: 1_000 });
    if (waiting.name !== 'waiting') throw new Error(waiting.name);
    expect(waiting.reason)
      .to.be.instanceOf(ConnectionError)
      .and.include({ error: 'wrong_path', httpStatus: 404 });
    expect(waiting.reason.message).to.include('The path is usually /ws');
    await new Promise((resolve) => server.close(resolve));
  });

  it('abandons an attempt if the socket does not open in time', async () => {
    const silent = createServer((socket) => sockets.push(socket));
    const sockets: Socket[] = [];
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
    const url = `ws://127.0.0.1:${(silent.address() as AddressInfo).port}/ws`;
    const { states } = harness.open({ url, timeouts: { connectMs: 55 } });
    await harness.time.pass(55);
    expect(await states.next()).to.have.nested.property('reason.error', 'connect_timeout');
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => silent.close(resolve));
  });

  it('ends at the first failure when reconnecting is disabled', async () => {
    const { client } = harness.open({ reconnect: false });
    const ready = rejection(client.ready());
    await (await harness.broker.nextPeer()).refuse('connection_failed');
    expect((await ready).error).to.equal('connection_failed');
  });
});

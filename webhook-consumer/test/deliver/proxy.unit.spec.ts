import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'chai';
import { eventually } from '@roomwire/testing/run/eventually';
import { WebhookEndpoint } from '@roomwire/testing/fakes/webhookEndpoint';
import { AttemptCutOff, type AttemptResult } from '../../src/deliver/attempt.js';
import { createCaller, type AttemptOptions, type Caller } from '../../src/deliver/caller.js';
import type { Resolve } from '../../src/deliver/addresses.js';
import { ConnectProxy, refuse, sayNothing } from '../support/connectProxy.js';

describe('[HOOK-PROXY-1] calls through a proxy', () => {
  let endpoint: WebhookEndpoint;
  let proxy: ConnectProxy;
  const callers: Caller[] = [];

  beforeEach(async () => {
    endpoint = await WebhookEndpoint.open();
    proxy = await ConnectProxy.open();
  });
  afterEach(async () => {
    for (const caller of callers.splice(0)) caller.close();
    await proxy.close();
    await endpoint.close();
  });

  const callerWith = (options: Partial<AttemptOptions> = {}): Caller => {
    const proxyUrl = `http://127.0.0.1:${proxy.port}`;
    const caller = createCaller({
      ...{ allowPrivate: true, attemptMs: 2_000, proxy: proxyUrl },
      ...{ resolve: resolving({}, '127.0.0.1'), ...options },
    });
    callers.push(caller);
    return caller;
  };
  const call = (caller: Caller, host = 'endpoint.example', scheme = 'http'): Promise<AttemptResult> =>
    caller.attempt({
      url: `${scheme}://${host}:${endpoint.port}/hook?key=k`,
      headers: { 'x-key': 'secret' },
      body: Buffer.from('{}'),
      answerBytes: 0,
    });
  const answered = { kind: 'answered', status: 200, body: undefined };
  const targets = (): readonly string[] => proxy.asked.map(({ target }) => target);

  it('are made to the checked address, also where private ones are allowed', async () => {
    expect(await call(callerWith())).to.eql(answered);
    expect(targets()).to.eql([`127.0.0.1:${endpoint.port}`]);
    expect(endpoint.received[0]).to.deep.include({ method: 'POST', url: '/hook?key=k', text: '{}' });
    expect(endpoint.received[0]?.headers).to.include({
      host: `endpoint.example:${endpoint.port}`,
      'x-key': 'secret',
    });
  });

  const guarded = (addresses: Readonly<Record<string, string>>): Caller =>
    callerWith({
      allowPrivate: false,
      allowNetworks: ['127.0.0.1'],
      resolve: resolving(addresses, '0.0.0.0'),
    });

  it('are made to the checked address, with the name in the host header', async () => {
    expect(await call(guarded({ 'endpoint.example': '127.0.0.1' }))).to.eql(answered);
    expect(targets()).to.eql([`127.0.0.1:${endpoint.port}`]);
    expect(endpoint.received[0]?.headers.host).to.equal(`endpoint.example:${endpoint.port}`);
  });

  it('are neither made nor sent to the proxy when the address is forbidden', async () => {
    const caller = guarded({ 'inside.example': '10.0.0.1' });
    for (const host of ['inside.example', '10.0.0.1', '[::1]'])
      expect(await call(caller, host), host).to.include({ kind: 'forbidden' });
    expect(await call(callerWith(), '169.254.169.254'), 'link-local').to.include({ kind: 'forbidden' });
    expect(proxy.asked).to.eql([]);
  });

  it('send the credentials to the proxy only', async () => {
    const caller = callerWith({ proxy: `http://user:p%40ss@127.0.0.1:${proxy.port}` });
    expect(await call(caller)).to.eql(answered);
    const credentials = `Basic ${Buffer.from('user:p@ss').toString('base64')}`;
    expect(proxy.asked[0]?.headers).to.include({ 'proxy-authorization': credentials });
    expect(proxy.asked[0]?.headers).to.not.have.property('x-key');
    expect(endpoint.received[0]?.headers).to.not.have.any.keys('proxy-authorization', 'proxy-connection');
  });

  it('reuse the tunnel of the previous call', async () => {
    const caller = callerWith();
    for (let n = 0; n < 4; n += 1) expect(await call(caller)).to.eql(answered);
    expect(proxy.asked).to.have.lengthOf(1);
    await call(caller, 'other.example');
    expect(proxy.asked).to.have.lengthOf(2);
  });

  it('reuse it, too, when it is older than the time-out of an attempt', async () => {
    const caller = callerWith({ attemptMs: 500 });
    expect(await call(caller)).to.eql(answered);
    await pause(700);
    expect(await call(caller)).to.eql(answered);
    expect(proxy.asked).to.have.lengthOf(1);
  });

  it('carry TLS for the name of the endpoint, whatever its address', async () => {
    let hello: Buffer = Buffer.alloc(0);
    const server = createServer((socket) => {
      socket.on('error', () => undefined);
      socket.once('data', (bytes: Buffer) => {
        hello = bytes;
        socket.end('no TLS here');
      });
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const { port } = server.address() as AddressInfo;
    const caller = guarded({ 'endpoint.example': '127.0.0.1' });
    const url = `https://endpoint.example:${port}/`;
    const result = await caller.attempt({ url, headers: {}, body: Buffer.alloc(0), answerBytes: 0 });
    expect(result).to.include({ kind: 'unreachable', isTimeout: false });
    expect(targets()).to.eql([`127.0.0.1:${port}`]);
    expect(hello[0], 'a record of the TLS handshake').to.equal(0x16);
    expect(hello.includes('endpoint.example')).to.equal(true);
    server.close();
  });

  it('are unanswered, without blame on the endpoint, when the proxy refuses', async () => {
    for (const status of [403, 407, 502]) {
      proxy.tunnelling = refuse(status);
      expect(await call(callerWith())).to.eql({
        kind: 'unreachable',
        isTimeout: false,
        reason: `The proxy answered ${status}`,
      });
    }
    expect(endpoint.received).to.eql([]);
  });

  it('end at their time-out when the proxy does not answer', async () => {
    proxy.tunnelling = sayNothing;
    const caller = callerWith({ attemptMs: 200 });
    expect(await call(caller)).to.include({ kind: 'unreachable', isTimeout: true });
    await eventually(() => proxy.openConnections === 0, { what: 'the connection to be closed' });
  });

  it('are unanswered when the proxy is down', async () => {
    const caller = callerWith();
    await proxy.close();
    const result = await call(caller);
    expect(result).to.include({ kind: 'unreachable', isTimeout: false });
    proxy = await ConnectProxy.open();
  });

  it('are aborted with their caller, while they wait for the proxy', async () => {
    proxy.tunnelling = sayNothing;
    const caller = callerWith();
    const outcome = call(caller).catch((error: unknown) => error);
    await eventually(() => proxy.asked.length === 1);
    caller.close();
    expect(await outcome).to.be.instanceOf(AttemptCutOff);
  });
});

const resolving =
  (addresses: Readonly<Record<string, string>>, others: string): Resolve =>
  (host, _options, callback) =>
    callback(null, [{ address: addresses[host] ?? others, family: 4 }]);

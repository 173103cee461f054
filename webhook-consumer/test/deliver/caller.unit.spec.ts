import { once } from 'node:events';
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { expect } from 'chai';
import { reactions, WebhookEndpoint } from '@roomwire/testing/fakes/webhookEndpoint';
import { eventually } from '@roomwire/testing/run/eventually';
import { AttemptCutOff, type Attempt, type AttemptResult } from '../../src/deliver/attempt.js';
import { createCaller, type Caller } from '../../src/deliver/caller.js';

const { answer, endless, never, partly, reset } = reactions;

describe('[HOOK-CALL-1] one attempt', () => {
  let endpoint: WebhookEndpoint;
  let caller: Caller;

  beforeEach(async () => {
    endpoint = await WebhookEndpoint.open();
    caller = createCaller({ allowPrivate: true, attemptMs: 300 });
  });
  afterEach(async () => {
    caller.close();
    await endpoint.close();
  });

  const attempt = (more: Partial<Attempt> = {}): Promise<AttemptResult> =>
    caller.attempt({
      url: `${endpoint.url}?key=k`,
      headers: { 'x-key': 'secret', 'content-type': 'application/json' },
      body: Buffer.from('{"a":"ä"}'),
      answerBytes: 0,
      ...more,
    });
  const hydrate = (): Promise<AttemptResult> => attempt({ answerBytes: 1_000 });
  const acknowledged = (status: number) => ({ kind: 'answered', status, body: undefined });

  it('posts the body with its headers', async () => {
    expect(await attempt()).to.eql(acknowledged(200));
    const [call] = endpoint.received;
    expect(call).to.include({ method: 'POST', url: '/hook?key=k', text: '{"a":"ä"}' });
    expect(call?.headers).to.include({
      'x-key': 'secret',
      'content-type': 'application/json',
      'content-length': '10',
      host: `127.0.0.1:${endpoint.port}`,
    });
    expect(call?.headers).to.not.have.any.keys('accept-encoding', 'cookie', 'transfer-encoding');
  });

  it('returns any status, without another attempt', async () => {
    for (const status of [200, 204, 299, 304, 400, 404, 408, 413, 429, 500, 502, 503, 504]) {
      endpoint.reaction = answer(status, '', { 'retry-after': '0' });
      expect(await attempt(), String(status)).to.eql({ ...acknowledged(status), retryAfter: '0' });
    }
    expect(endpoint.received).to.have.lengthOf(13);
  });

  it('follows no redirect', async () => {
    const target = await WebhookEndpoint.open();
    for (const status of [301, 302, 303, 307, 308]) {
      endpoint.reaction = answer(status, '', { location: target.url });
      expect(await attempt()).to.eql(acknowledged(status));
    }
    expect(target.received).to.eql([]);
    await target.close();
  });

  it('ends at its time-out, whatever the endpoint is doing', async () => {
    const slow = { kind: 'unreachable', isTimeout: true, reason: 'No answer within 0.3 s' };
    endpoint.reaction = never;
    expect(await attempt()).to.eql(slow);
    endpoint.reaction = (response) => {
      const drip = setInterval(() => response.write(' '), 20);
      response.once('close', () => clearInterval(drip));
    };
    expect(await hydrate(), 'byte after byte').to.eql(slow);
  });

  it('treats a reset, or a truncated answer that is needed, as no answer', async () => {
    endpoint.reaction = reset;
    expect(await attempt()).to.include({ kind: 'unreachable', reason: 'The connection was reset' });
    endpoint.reaction = partly(200, '{"a":1}');
    expect(await hydrate()).to.include({ kind: 'unreachable', isTimeout: false });
  });

  it('treats the status as the whole answer when the body is not needed', async () => {
    endpoint.reaction = partly(200, 'x');
    expect(await attempt()).to.eql(acknowledged(200));
    endpoint.reaction = endless(200);
    expect(await attempt()).to.eql(acknowledged(200));
  });

  it('reads a needed answer, up to its limit', async () => {
    endpoint.reaction = answer(200, '{"a":1}');
    expect(await hydrate()).to.deep.include({ kind: 'answered', body: Buffer.from('{"a":1}') });
    endpoint.reaction = answer(200, 'x'.repeat(1_000));
    expect(await hydrate()).to.deep.include({ body: Buffer.from('x'.repeat(1_000)) });
    for (const tooLarge of [answer(200, 'x'.repeat(1_001)), endless(200)]) {
      endpoint.reaction = tooLarge;
      expect(await hydrate()).to.eql(acknowledged(200));
    }
    endpoint.reaction = answer(404, 'x');
    expect(await hydrate()).to.eql(acknowledged(404));
  });

  it('describes failures in its own words', async () => {
    const server = await listening((socket) => socket.end('SSH-2.0-x\r\n'));
    const { port } = server.address() as AddressInfo;
    expect(await attempt({ url: `http://127.0.0.1:${port}/` })).to.include({
      reason: 'The answer is not HTTP',
    });
    const tls = await attempt({ url: `https://127.0.0.1:${port}/` });
    expect(tls).to.include({ kind: 'unreachable', isTimeout: false, reason: 'TLS failed (EPROTO)' });
    server.close();
    await once(server, 'close');
    expect(await attempt({ url: `http://127.0.0.1:${port}/?key=k` })).to.include({
      reason: 'The connection was refused',
    });
    expect(await attempt({ url: 'http://nobody.invalid/' })).to.include({ kind: 'unreachable' });
  });

  it('reuses the connection of the previous call', async () => {
    for (let call = 0; call < 5; call += 1) await attempt();
    expect(endpoint.connections).to.equal(1);
  });

  it('is aborted when its caller is closed', async () => {
    endpoint.reaction = never;
    const outcome = attempt().catch((error: unknown) => error);
    await eventually(() => endpoint.received.length === 1);
    caller.close();
    expect(await outcome).to.be.instanceOf(AttemptCutOff);
    expect(await attempt().catch((error: unknown) => error)).to.be.instanceOf(AttemptCutOff);
  });

  describe('[HOOK-SSRF-1] where private addresses are forbidden', () => {
    const forbidden = {
      kind: 'forbidden',
      reason: 'The address of the endpoint is private, reserved or denied',
    };

    beforeEach(() => {
      caller.close();
      caller = createCaller({ allowPrivate: false, attemptMs: 2_000 });
    });

    it('reaches no endpoint on loopback, in any notation', async () => {
      const { port } = endpoint;
      for (const host of [
        '127.0.0.1',
        '2130706433',
        '0x7f.1',
        '[::1]',
        '[::ffff:127.0.0.1]',
        'localhost',
        '0',
      ])
        expect(await attempt({ url: `http://${host}:${port}/` }), host).to.eql(forbidden);
      expect(endpoint.connections).to.equal(0);
    });

    it('reaches none by a name that resolves to loopback', async () => {
      caller.close();
      const resolve = createCaller({
        allowPrivate: false,
        attemptMs: 2_000,
        resolve: (_host, _options, callback) => callback(null, [{ address: '127.0.0.1', family: 4 }]),
      });
      const { port } = endpoint;
      const call = {
        url: `http://rebound.example:${port}/`,
        headers: {},
        body: Buffer.alloc(0),
        answerBytes: 0,
      };
      expect(await resolve.attempt(call)).to.eql(forbidden);
      expect(endpoint.connections).to.equal(0);
      resolve.close();
    });
  });
});

const listening = async (onConnection: (socket: Socket) => void): Promise<Server> => {
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.resume();
    onConnection(socket);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return server;
};

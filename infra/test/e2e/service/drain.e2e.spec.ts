import { once } from 'node:events';
import { expect } from 'chai';
import { WebSocket } from 'ws';
import { temporaryFolder, type TemporaryFolder } from '@roomwire/testing/run/temporaryFolder';
import { eventually } from '@roomwire/testing/run/eventually';
import { FrameClient } from '@roomwire/testing/clients/frameClient';
import { startProgram, type RunningService } from '../../support/program.js';

const clients = 30;

describe('a service that receives SIGTERM', function () {
  this.timeout(60_000);
  let folder: TemporaryFolder;

  beforeEach(async () => void (folder = await temporaryFolder()));
  afterEach(() => folder.remove());

  const start = (drainSeconds: string): Promise<RunningService> =>
    startProgram(folder.path, { ROOMWIRE_LOG_LEVEL: 'error', ROOMWIRE_DRAIN_SECONDS: drainSeconds });
  const readiness = async ({ baseUrl }: RunningService): Promise<number> =>
    (await fetch(`${baseUrl}/readyz`)).status;
  /** When each of them is closed, and how. */
  const connect = async ({ socketUrl }: RunningService) => {
    const closed: { readonly atMs: number; readonly code: number; readonly reason: string }[] = [];
    const opened = Array.from({ length: clients }, async () => {
      const socket = new WebSocket(socketUrl);
      await once(socket, 'open');
      socket.on('close', (code, reason) =>
        closed.push({ atMs: performance.now(), code, reason: reason.toString() }),
      );
    });
    await Promise.all(opened);
    return closed;
  };
  const refusal = async (socketUrl: string): Promise<number | undefined> => {
    const socket = new WebSocket(socketUrl);
    socket.on('error', () => undefined);
    const [, response] = (await once(socket, 'unexpected-response')) as [unknown, { statusCode?: number }];
    return response.statusCode;
  };

  it('is not ready from then on, refuses new connections, and closes the open ones evenly over the drain time', async () => {
    const service = await start('3');
    const closed = await connect(service);
    const { appId, slug } = (await service.project.post('/apps', { name: 'App' })).body;

    const from = performance.now();
    service.program.process.kill('SIGTERM');
    await eventually(async () => (await readiness(service)) === 503);
    await eventually(async () => (await refusal(service.socketUrl)) === 503);
    // Requests that are still led here are answered.
    expect((await service.project.get(`/apps/${appId}`)).body.slug).to.equal(slug);

    expect(await service.program.ended).to.include({ code: 0 });
    expect(performance.now() - from).to.be.greaterThan(2_500);
    expect(closed.map(({ code, reason }) => [code, reason])).to.eql(
      Array.from({ length: clients }, () => [1012, 'service_restart']),
    );
    for (const [n, { atMs }] of closed.entries())
      expect(atMs - from, `close ${n}`).to.be.at.least((n / clients) * 3_000 - 20);
  });

  it('serves the connections that are still open', async () => {
    const service = await start('5');
    const token = (await service.project.post('/actors', { name: 'a', actorType: 'user' })).body.accessToken;
    const { appId, slug } = (await service.project.post('/apps', { name: 'App', topics: ['chat'] })).body;
    await service.project.post(`/apps/${appId}/rooms`, { name: 'Room' });
    const staying = await Promise.all(
      Array.from({ length: 8 }, () => FrameClient.join(service.socketUrl, token)),
    );
    service.program.process.kill('SIGTERM');
    await eventually(async () => (await readiness(service)) === 503);
    // One of eight stays open for at least seven eighths of the time.
    const answers = await Promise.all(
      staying.map(async (client) => {
        client.send({ type: 'subscribe', topic: `${slug}/room/chat` });
        return client.nextType().catch(() => undefined);
      }),
    );
    expect(answers).to.include('subscribed');
    expect(await service.program.ended).to.include({ code: 0 });
  });

  it('takes a second signal at once after the first for the same one', async () => {
    const service = await start('1');
    const closed = await connect(service);
    service.program.process.kill('SIGINT');
    await eventually(async () => (await readiness(service)) === 503);
    service.program.process.kill('SIGINT');
    expect(await service.program.ended).to.include({ code: 0 });
    expect(closed.map(({ code }) => code)).to.eql(Array.from({ length: clients }, () => 1012));
  });

  it('ends at once on a second signal, and without connections', async () => {
    const service = await start('600');
    const closed = await connect(service);
    const insisting = setInterval(() => service.program.process.kill('SIGTERM'), 500);
    const ended = await service.program.ended.finally(() => clearInterval(insisting));
    expect(ended).to.include({ signal: 'SIGTERM' });
    await eventually(() => closed.length === clients);
    expect(closed.filter(({ code }) => code !== 1012)).to.have.length.greaterThan(0);

    const empty = await start('600');
    empty.program.process.kill('SIGTERM');
    expect(await empty.program.ended).to.include({ code: 0 });
  });

  it('closes all connections at once when the drain time is zero', async () => {
    const service = await start('0');
    const closed = await connect(service);
    service.program.process.kill('SIGTERM');
    expect(await service.program.ended).to.include({ code: 0 });
    expect(closed.map(({ code }) => code)).to.eql(Array.from({ length: clients }, () => 1012));
    const [first, last] = [closed[0]?.atMs ?? 0, closed.at(-1)?.atMs ?? 0];
    expect(last - first).to.be.lessThan(2_000);
  });
});

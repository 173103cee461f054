import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { expect } from 'chai';
import { WebSocket } from 'ws';
import { eventually } from '@roomwire/testing/run/eventually';
import { temporaryFolder, type TemporaryFolder } from '@roomwire/testing/run/temporaryFolder';
import { startProgram, stop, type RunningService } from '../../support/program.js';

/** As where the package was installed for another platform, or without what is optional. */
const withoutLibrary = (): string => {
  const hooks =
    'export const resolve=(name,context,next)=>{if(name==="koffi")throw new Error("none");return next(name,context)}';
  const loader = `import{register}from"node:module";register(${JSON.stringify(moduleOf(hooks))})`;
  return `--import=${moduleOf(loader)}`;
};

const moduleOf = (source: string): string => `data:text/javascript,${encodeURIComponent(source)}`;

const connect = async ({ socketUrl }: RunningService, count: number): Promise<number[]> => {
  const codes: number[] = [];
  for (let n = 0; n < count; n += 1) {
    const socket = new WebSocket(socketUrl);
    await once(socket, 'open');
    socket.on('close', (code) => void codes.push(code));
  }
  return codes;
};

describe('a started program with ROOMWIRE_GATEWAY_THREADS', function () {
  this.timeout(120_000);
  let folder: TemporaryFolder;

  beforeEach(async () => void (folder = await temporaryFolder()));
  afterEach(() => folder.remove());

  const start = (threads: string, more: Readonly<Record<string, string>> = {}): Promise<RunningService> =>
    startProgram(folder.path, {
      ROOMWIRE_GATEWAY_THREADS: threads,
      ROOMWIRE_LOG_LEVEL: 'warn',
      ROOMWIRE_DRAIN_SECONDS: '1',
      ...more,
    });
  const hasLibrary = async ({ program }: RunningService): Promise<boolean> =>
    (await readFile(`/proc/${program.process.pid}/maps`, 'utf8')).includes('koffi');

  it('drains all threads on SIGTERM, and ends', async () => {
    const service = await start('2');
    const codes = await connect(service, 12);
    expect(await hasLibrary(service)).to.equal(true);
    service.program.process.kill('SIGTERM');
    const refused = async (): Promise<boolean> => (await fetch(`${service.baseUrl}/readyz`)).status === 503;
    await eventually(refused, { withinMs: 15_000, what: 'readiness off' });
    expect(await service.program.ended).to.include({ code: 0 });
    await eventually(() => codes.length === 12);
    expect(codes).to.eql(codes.map(() => 1012));
  });

  it('loads nothing for one thread, which is the default', async () => {
    const service = await start('1');
    const codes = await connect(service, 2);
    expect(await hasLibrary(service)).to.equal(false);
    expect((await stop(service)).code).to.equal(0);
    await eventually(() => codes.length === 2);
  });

  it('keeps the sockets in the main thread, and says so, where they cannot be given to threads', async () => {
    const service = await start('2', { NODE_OPTIONS: withoutLibrary() });
    const codes = await connect(service, 2);
    const lines = service.program.stderr() + service.program.stdout();
    expect(lines.match(/Sockets cannot be given to threads here/g)).to.have.length(1);
    expect((await stop(service)).code).to.equal(0);
    await eventually(() => codes.length === 2);
    expect(codes).to.eql([1012, 1012]);
  });
});

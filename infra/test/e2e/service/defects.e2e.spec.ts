import { expect } from 'chai';
import { temporaryFolder, type TemporaryFolder } from '@roomwire/testing/run/temporaryFolder';
import { startProgram } from '../../support/program.js';

/** A defect of the program, at the moment that a test chooses. */
const planted = `data:text/javascript,process.on('SIGUSR2',()=>{throw new Error('planted')})`;

describe('an unexpected error', () => {
  let folder: TemporaryFolder;
  beforeEach(async () => void (folder = await temporaryFolder()));
  afterEach(() => folder.remove());

  it('is logged and ends the process, also during writes, and acknowledged writes are kept', async () => {
    const first = await startProgram(folder.path, { NODE_OPTIONS: `--import="${planted}"` });
    const app = (await first.project.post('/apps', { name: 'app' })).body;
    const acknowledged: string[] = [];
    const createUntilTheEnd = async (worker: number): Promise<void> => {
      for (let n = 0; ; n += 1) {
        const name = `room ${worker} ${n}`;
        const { status } = await first.project.post(`/apps/${app.appId}/rooms`, { name });
        if (status === 201) acknowledged.push(name);
        if (acknowledged.length === 50) first.program.process.kill('SIGUSR2');
      }
    };
    const workers = Array.from({ length: 8 }, (_, worker) =>
      createUntilTheEnd(worker).catch(() => undefined),
    );
    expect(await first.program.ended).to.include({ signal: 'SIGKILL' });
    await Promise.all(workers);
    expect(first.program.stderr()).to.include('Uncaught error').and.include('planted');

    const second = await startProgram(folder.path);
    const rooms = (await second.project.get(`/apps/${app.appId}/rooms`)).body as { name: string }[];
    const names = new Set(rooms.map(({ name }) => name));
    expect(acknowledged.filter((name) => !names.has(name))).to.eql([]);
    second.program.process.kill('SIGTERM');
    expect(await second.program.ended).to.include({ code: 0 });
  });
});

import { cp, readdir, stat, truncate } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { eventually } from '@roomwire/testing/run/eventually';
import { temporaryFolder, type TemporaryFolder } from '@roomwire/testing/run/temporaryFolder';
import { connect } from '@roomwire/sdk';
import { runRoomwire, startProgram, stop } from '../../support/program.js';

const pageBytes = 4_096;

const madeAgain = ['owner.lmdb', 'snapshots.lmdb'];

const halved = (size: number): number => Math.floor(size / 2);

/** All that the service keeps is in use. */
const settings = { ROOMWIRE_MESSAGE_RECORDING: 'true', ROOMWIRE_ANALYTICS: 'true' };

describe('a data folder of which a file was cut off', function () {
  this.timeout(240_000);
  let folder: TemporaryFolder;
  let used: string;
  let copies = 0;

  before(async () => {
    folder = await temporaryFolder();
    used = join(folder.path, 'used');
    const service = await startProgram(used, settings);
    const topicConfigs = { chat: { logging: { enabled: true } } };
    const app = (await service.project.post('/apps', { name: 'A', topics: ['chat'], topicConfigs })).body;
    await service.project.post(`/apps/${app.appId}/rooms`, { name: 'R' });
    for (let n = 0; n < 40; n += 1)
      await service.project.post('/actors', { name: `${n}${'x'.repeat(200)}`, actorType: 'user' });
    const { accessToken } = (await service.project.post('/actors', { name: 'agent', actorType: 'agent' }))
      .body;
    const client = connect({ url: `${service.baseUrl.replace('http', 'ws')}/ws`, token: accessToken });
    for (let n = 0; n < 20; n += 1)
      await client.publish(`${app.slug}/r/chat`, 'x'.repeat(1_000)).catch(() => undefined);
    await client.close();
    await eventually(async () => (await readdir(used)).includes('audit.lmdb'));
    await stop(service);
  });
  after(() => folder.remove());

  const cut = async (name: string, keep: (size: number) => number): Promise<string> => {
    const copy = join(folder.path, `copy ${(copies += 1)}`);
    await cp(used, copy, { recursive: true });
    const file = join(copy, name);
    await truncate(file, keep((await stat(file)).size));
    return copy;
  };

  /** The one line with which the start ended; undefined where it did not, because nothing was cut off that is in use. */
  const lineOfStart = async (dataDir: string): Promise<string | undefined> => {
    const environment = { ROOMWIRE_DATA_DIR: dataDir, ROOMWIRE_PORT: '0', ...settings };
    const program = runRoomwire(['start'], { ...environment, ROOMWIRE_LOG_LEVEL: 'error' });
    const ready = program.printed(/is ready on/).then(
      () => true,
      () => false,
    );
    if (await ready) {
      program.process.kill('SIGTERM');
      await program.ended;
      return undefined;
    }
    const { code, signal } = await program.ended;
    expect({ code, signal }, program.stderr()).to.eql({ code: 1, signal: null });
    const lines = program.stderr().trim().split('\n');
    expect(lines, program.stderr()).to.have.lengthOf(1);
    return lines[0];
  };

  const ways: Readonly<Record<string, (size: number) => number>> = {
    'at half': halved,
    'to nothing': () => 0,
    'to one page': () => pageBytes,
    'before its last page': (size) => size - pageBytes,
  };

  it('does not start, and says which file it is', async () => {
    const names = (await readdir(used)).filter((name) => name.endsWith('.lmdb') && !madeAgain.includes(name));
    expect(names).to.include.members(['events.lmdb', 'audit.lmdb', 'views.lmdb', 'queues.lmdb']);
    for (const name of names)
      for (const [way, keep] of Object.entries(ways)) {
        // The others are of the same kind.
        if (!['events.lmdb', 'audit.lmdb'].includes(name) && !['at half', 'to nothing'].includes(way))
          continue;
        const line = await lineOfStart(await cut(name, keep));
        if (line === undefined) expect(way, name).to.equal('before its last page');
        else
          expect(line, way).to.match(new RegExp(`^The file \\S.*${name.replace('.', '\\.')} is damaged: `));
      }
  });

  it('does not start where its secrets or credentials were cut off', async () => {
    for (const name of ['secrets.json', 'credentials.json'])
      for (const keep of [halved, () => 0])
        expect(await lineOfStart(await cut(name, keep)), name).to.match(
          new RegExp(`^The file \\S.*${name.replace('.', '\\.')} is damaged: it is not valid JSON`),
        );
  });

  it('starts where it is the file of its owner or of snapshots, which keep nothing that is not made again', async () => {
    for (const name of madeAgain)
      for (const keep of [halved, () => 0])
        expect(await lineOfStart(await cut(name, keep)), name).to.equal(undefined);
  });

  it('is named by the doctor and by a backup, too', async () => {
    for (const name of ['events.lmdb', 'queues.lmdb']) {
      const dataDir = await cut(name, halved);
      const doctor = runRoomwire(['doctor'], { ROOMWIRE_DATA_DIR: dataDir });
      expect((await doctor.ended).code).to.equal(1);
      expect(doctor.stdout()).to.include(`${name} is damaged: it was cut off`);
      const backup = runRoomwire(['backup', join(dataDir, 'backup')], { ROOMWIRE_DATA_DIR: dataDir });
      expect(await backup.ended).to.deep.include({ code: 1, signal: null });
      expect(backup.stderr()).to.include(`${name} is damaged: it was cut off`);
    }
  });

  it('is named by the doctor where it has the first credentials', async () => {
    const doctor = runRoomwire(['doctor'], { ROOMWIRE_DATA_DIR: await cut('credentials.json', halved) });
    expect((await doctor.ended).code).to.equal(1);
    expect(doctor.stdout()).to.include('credentials.json is damaged: it is not valid JSON');
  });
});

import { Buffer } from 'node:buffer';
import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { openEmbeddedViewStores } from '@roomwire/shared/adapters/view-store/embeddedViewStore';
import { openDataFolder } from '@roomwire/shared/adapters/lmdb/dataFolder';
import { viewIndexes, type ViewName } from '@roomwire/shared/wire/views/views';
import { temporaryFolder } from '@roomwire/testing/run/temporaryFolder';
import { readConfig } from '../../src/config/config.js';
import { runRoomwire, startProgram, stop, type Program, type RunningService } from '../support/program.js';
import { withLog } from '../support/eventLogAccess.js';
import { expectNoSecret, refusedSessions, type Place } from './expectNoSecret.js';
import { marker, takeTour } from './tour.js';
import { TourRecord } from './tourRecord.js';

const loud = { ROOMWIRE_LOG_LEVEL: 'debug', ROOMWIRE_REST_RATE: '0', ROOMWIRE_PUBLISH_RATE: '0' };
const owners = ['secrets.json', 'credentials.json'];

describe('secrets, on files', function () {
  this.timeout(120_000);
  let folder: Awaited<ReturnType<typeof temporaryFolder>>;
  const programs: Program[] = [];
  let service: RunningService;
  let record: TourRecord;

  const start = async (): Promise<void> => {
    service = await startProgram(folder.path, loud);
    programs.push(service.program);
  };
  const kept = async (name: string) => JSON.parse(await readFile(join(folder.path, name), 'utf8'));
  /** Enters the keys that the folder holds at the moment. */
  const enterKeptKeys = async (): Promise<void> => {
    const { masterKey, sessionSecret } = await kept('secrets.json');
    record.ledger.add('a master key', masterKey);
    record.ledger.add('the session secret', sessionSecret);
  };
  const cli = async (args: readonly string[], environment: object = {}): Promise<Program> => {
    const program = runRoomwire(args, { ...loud, ROOMWIRE_DATA_DIR: folder.path, ...environment });
    await program.ended;
    programs.push(program);
    return program;
  };

  before(async () => {
    folder = await temporaryFolder();
    await start();
    record = new TourRecord(() => service);
    const { sessionToken, apiKey } = service.credentials;
    record.ledger.addToken('the first API key', apiKey);
    record.ledger.addToken('the first session', sessionToken);
    await enterKeptKeys();
    const minted = (await cli(['token', '--operator', '--print'])).stdout().trim();
    record.ledger.addToken('a minted session', minted);
    const crash = async (): Promise<void> => {
      await stop(service, 'SIGKILL');
      await start();
    };
    await takeTour(record, { crash, sessionToken: minted, refusedSessions: await refusedSessions(record) });
    await cli(['publish', 'a/b/c', '1', '--url', service.socketUrl], { ROOMWIRE_TOKEN: `${apiKey}x` });
    await cli(['listen', 'a/b/c', '--url', service.socketUrl, '--token', apiKey]);
    await stop(service);
    await cli(['keys', 'rotate']);
    await enterKeptKeys();
    await start();
    await record.send('GET', '/signing-keys', { credential: apiKey });
    await stop(service);
  });
  after(() => folder.remove());

  it('are used in every way that the search covers', () => {
    expect([...record.statuses]).to.include.members([200, 201, 204, 400, 401, 403, 404, 413, 415]);
    expect(record.ledger.secrets.length).to.be.greaterThan(15);
    expect(record.said.length).to.be.greaterThan(500);
  });

  it('are in no answer but the one that shows them', () => expectNoSecret(record, record.said, 'answers'));

  it('are in no log line, and are printed only by the commands that show them', () => {
    const printed = programs.flatMap((program, index) => {
      const stdout = { what: `stdout of program ${index}`, bytes: Buffer.from(program.stdout()) };
      const stderr = { what: `stderr of program ${index}`, bytes: Buffer.from(program.stderr()) };
      // `token --print` does so on purpose.
      return index === 1 ? [stderr] : [stdout, stderr];
    });
    expect(programs[0]?.stderr()).to.include('"message":"Ready"');
    expectNoSecret(record, printed, 'outputs');
  });

  it('are in no file but the two secret files, which only their owner can read', async () => {
    const names = (await readdir(folder.path, { recursive: true, withFileTypes: true }))
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name }) => join(parentPath, name));
    const places = await Promise.all(
      names.map(async (what): Promise<Place> => ({ what, bytes: await readFile(what) })),
    );
    for (const name of owners) expect((await stat(join(folder.path, name))).mode & 0o777).to.equal(0o600);
    expect(await kept('secrets.json')).to.have.all.keys(
      'masterKey',
      'previousAuditKeys',
      'sessionSecret',
      'previousSessionSecrets',
    );
    const others = places.filter(({ what }) => !owners.some((name) => what === join(folder.path, name)));
    for (const file of ['events.lmdb', 'views.lmdb'])
      expect(others.find(({ what }) => what.endsWith(file))?.bytes.includes(marker), file).to.equal(true);
    expectNoSecret(record, others, 'stores');
  });

  it('are in no event', async () => {
    const config = { ...readConfig({}), dataDir: folder.path };
    const events = await withLog(config, async (log) => {
      const all: Place[] = [];
      for await (const batch of log.readAll())
        for (const event of batch) all.push({ what: event.type, bytes: Buffer.from(JSON.stringify(event)) });
      return all;
    });
    expect(events.some(({ bytes }) => bytes.includes(marker))).to.equal(true);
    expectNoSecret(record, events, 'stores');
  });

  it('are in no read model', async () => {
    const data = await openDataFolder(folder.path);
    const stores = await openEmbeddedViewStores(data);
    const { views } = stores;
    const places = await Promise.all(
      (Object.keys(viewIndexes) as ViewName[]).map(async (what) => ({
        what,
        bytes: Buffer.from(JSON.stringify(await views.find(what, {}))),
      })),
    );
    await stores.close();
    await data.close();
    for (const view of ['apps', 'scopes', 'organizations'])
      expect(places.find(({ what }) => what === view)?.bytes.includes(marker), view).to.equal(true);
    expectNoSecret(record, places, 'stores');
  });
});

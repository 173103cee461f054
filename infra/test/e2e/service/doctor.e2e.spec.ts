import { chmod, mkdir, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { createServer, type AddressInfo } from 'node:net';
import { once } from 'node:events';
import { join } from 'node:path';
import { expect } from 'chai';
import { temporaryFolder, type TemporaryFolder } from '@roomwire/testing/run/temporaryFolder';
import type { Finding } from '../../../src/engines/finding.js';
import { freePort } from '@roomwire/testing/run/freePort';
import { runRoomwire, startProgram, stop } from '../../support/program.js';

describe('roomwire doctor, on files', function () {
  // Each command is a separate process.
  this.timeout(60_000);
  let files: TemporaryFolder;
  let dataDir: string;

  beforeEach(async () => {
    files = await temporaryFolder();
    dataDir = join(files.path, 'data');
  });
  afterEach(() => files.remove());

  const doctor = async (environment: Readonly<Record<string, string>> = {}, ...args: string[]) => {
    const program = runRoomwire(['doctor', ...args], {
      ...{ ROOMWIRE_DATA_DIR: dataDir, ROOMWIRE_PORT: '0' },
      ...environment,
    });
    const { code } = await program.ended;
    return { code, stdout: program.stdout(), stderr: program.stderr() };
  };
  const examined = async (environment: Readonly<Record<string, string>> = {}) => {
    const { code, stdout } = await doctor(environment, '--json');
    const { status, findings } = JSON.parse(stdout) as { status: string; findings: Finding[] };
    expect(code).to.equal(status === 'error' ? 1 : 0);
    return findings;
  };
  /** What is wrong; how full this machine's disk is, and how many files it lets us open, is not for the test to say. */
  const faults = async (environment: Readonly<Record<string, string>> = {}) =>
    (await examined(environment))
      .filter(({ check, status }) => status !== 'ok' && !['disk', 'files'].includes(check))
      .map(({ check, status, message }) => `${status} ${check}: ${message}`);
  const used = async (): Promise<void> => void (await stop(await startProgram(dataDir)));

  it('reports no problem before the first start, while Roomwire runs, and after it has stopped', async () => {
    expect(await faults()).to.eql([]);
    const port = String(await freePort());
    const service = await startProgram(dataDir, { ROOMWIRE_PORT: port });
    const findings = await examined({ ROOMWIRE_PORT: port });
    expect(findings.filter(({ check }) => check === 'port')[0]?.message).to.equal(
      `Roomwire serves on 127.0.0.1:${port}`,
    );
    expect(findings.map(({ message }) => message)).to.include(
      `${dataDir}, process ${service.program.process.pid} runs on it`,
    );
    expect(await faults({ ROOMWIRE_PORT: port })).to.eql([]);
    await stop(service);
    expect(await faults()).to.eql([]);
    expect((await examined()).map(({ message }) => message)).to.include(`${dataDir}, no Roomwire runs on it`);
  });

  it('prints one line per check, and never a secret', async () => {
    await used();
    const { code, stdout, stderr } = await doctor();
    expect({ code, stderr }).to.eql({ code: 0, stderr: '' });
    const { masterKey, sessionSecret } = JSON.parse(await readFile(join(dataDir, 'secrets.json'), 'utf8'));
    const lines = stdout.trimEnd().split('\n');
    for (const check of ['configuration', 'data folder', 'rights', 'secrets', 'disk', 'port', 'read models'])
      expect(
        lines.filter((line) => line.includes(`  ${check}: `)),
        check,
      ).to.have.length(1);
    const given = Buffer.alloc(32, 3).toString('base64');
    const url = 'mongodb://someone:their-password@127.0.0.1:1/db?appName=their-name';
    const esdb = 'esdb://someone:their-password@127.0.0.1:1?tls=false';
    const away = await doctor({
      ...{ ROOMWIRE_MASTER_KEY: given, ROOMWIRE_SESSION_SECRET: given },
      ...{ ROOMWIRE_MONGODB_URL: url, ROOMWIRE_EVENTSTORE_URL: esdb },
    });
    for (const secret of [masterKey, sessionSecret, given, 'their-password', 'their-name'])
      expect(stdout + away.stdout + away.stderr).to.not.include(secret);
  });

  it('reports each problem of the configuration', async () => {
    expect(await faults({ ROOMWIRE_PORT: 'x', ROOMWIRE_LOG_LEVEL: 'loud' })).to.eql([
      'error configuration: ROOMWIRE_PORT must be a whole number from 0 to 65535',
      'error configuration: ROOMWIRE_LOG_LEVEL must be one of error, warn, info, debug',
    ]);
  });

  it('reports unavailable engines', async () => {
    const found = await faults({
      ROOMWIRE_MONGODB_URL: 'mongodb://127.0.0.1:1/db',
      ROOMWIRE_KAFKA_BROKERS: '127.0.0.1:1',
    });
    expect(found.map((line) => line.split(' (')[0])).to.eql([
      'error MongoDB: out of reach',
      'error Kafka: out of reach',
    ]);
  });

  it('reports files that other users can read', async () => {
    await used();
    await chmod(join(dataDir, 'secrets.json'), 0o644);
    await chmod(dataDir, 0o755);
    expect(await faults()).to.eql([
      `warning rights: ${dataDir} is open to other users`,
      'error rights: secrets.json is open to other users',
    ]);
  });

  it('reports missing and damaged secrets', async () => {
    await used();
    await writeFile(join(dataDir, 'secrets.json'), '{"masterKey":"short"}');
    expect(await faults()).to.eql(['error secrets: secrets.json cannot be read as keys']);
    await rm(join(dataDir, 'secrets.json'));
    expect(await faults()).to.eql(['error secrets: secrets.json is missing']);
  });

  it('reports damaged files, and an interrupted restore', async () => {
    await used();
    await writeFile(join(dataDir, 'restore.unfinished'), '', { mode: 0o600 });
    expect(await faults()).to.eql(['error files of the folder: a restore into it was interrupted']);
    await rm(join(dataDir, 'restore.unfinished'));
    await truncate(join(dataDir, 'views.lmdb'), 0);
    await writeFile(join(dataDir, 'views.lmdb'), 'not of LMDB');
    const [found = '', ...others] = await faults();
    expect(found).to.match(/^error files of the folder: The file .*views\.lmdb is damaged/);
    expect(others).to.eql([]);
  });

  it('reports read models of another log, and missing read models', async () => {
    await used();
    for (const name of ['views.lmdb', 'views.lmdb-lock']) await rm(join(dataDir, name));
    const behind = (await examined()).find(({ check }) => check === 'read models');
    expect(behind?.message).to.equal('there are none yet; the next start brings them up');
    const other = join(files.path, 'other');
    await stop(await startProgram(other));
    for (const name of ['events.lmdb', 'events.lmdb-lock']) await rm(join(other, name));
    const { open } = await import('lmdb');
    const log = open({ path: join(other, 'events.lmdb') });
    await log.openDB('events', { encoding: 'string' }).put(1, await firstEventOf(dataDir));
    await log.close();
    await chmod(join(other, 'events.lmdb'), 0o600);
    expect(await faults({ ROOMWIRE_DATA_DIR: other })).to.eql([
      'error read models: made from another event log',
      'error audit index: made from another event log',
    ]);
  });

  it('reports a port that is taken, and a service that listens on another port', async () => {
    const taken = createServer().listen(0, '127.0.0.1');
    await once(taken, 'listening');
    const { port } = taken.address() as AddressInfo;
    expect(await faults({ ROOMWIRE_PORT: String(port) })).to.eql([
      `error port: 127.0.0.1:${port} is taken by another program`,
    ]);
    taken.close();
    expect(await faults({ ROOMWIRE_HOST: '192.0.2.1', ROOMWIRE_PORT: '8080' })).to.eql([
      'error port: 192.0.2.1:8080 cannot be listened on (EADDRNOTAVAIL)',
    ]);
    const service = await startProgram(dataDir);
    const elsewhere = String(await freePort());
    expect(await faults({ ROOMWIRE_PORT: elsewhere })).to.eql([
      `warning port: process ${service.program.process.pid} has the data folder and does not serve on 127.0.0.1:${elsewhere}`,
    ]);
    await stop(service);
  });

  it('reports a clock that is behind the last event', async () => {
    await used();
    const { open } = await import('lmdb');
    const log = open({ path: join(dataDir, 'events.lmdb') });
    const events = log.openDB<string, number>('events', { encoding: 'string' });
    const [[last, text] = [0, '']] = [...events.getRange({ reverse: true, limit: 1 })].map(
      ({ key, value }) => [key, value] as const,
    );
    const tomorrow = new Date(Date.now() + 86_400_000).toISOString();
    await events.put(last, text.replace(/"occurredAt":"[^"]*"/, `"occurredAt":"${tomorrow}"`));
    await log.close();
    const [found = '', ...others] = await faults();
    expect(found).to.match(/^error clock: that of the last event is 86\d{3}\.\d s ahead$/);
    expect(others).to.eql([]);
  });

  it('reports a folder that it cannot write', async function () {
    if (process.getuid?.() === 0) return this.skip();
    await mkdir(dataDir, { mode: 0o500 });
    expect(await faults()).to.eql([`error rights: ${dataDir} cannot be written`]);
  });
});

const firstEventOf = async (dataDir: string): Promise<string> => {
  const { open } = await import('lmdb');
  const log = open({ path: join(dataDir, 'events.lmdb'), readOnly: true });
  const [first] = [...log.openDB<string, number>('events', { encoding: 'string' }).getRange({ limit: 1 })];
  await log.close();
  return first?.value ?? '';
};

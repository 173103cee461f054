import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { createCurrentSigningKeys } from '@roomwire/command-api/secrets/currentSecrets';
import { auditKeyOf } from '@roomwire/shared/credentials/auditKeys';
import {
  deriveKey,
  sealingKeyIdOf,
  type MasterKeys,
  type SecretBox,
} from '@roomwire/shared/credentials/secretBox';
import { temporaryFolder } from '@roomwire/testing/run/temporaryFolder';
import { readConfig } from '../../../src/config/config.js';
import { keptMasterKeys, type SecretsFile } from '../../../src/secrets/keptSecrets.js';
import { secretBoxFor } from '../../../src/secrets/sealingKeys.js';
import type { ApiClient } from '../../support/apiClient.js';
import { runRoomwire, startProgram, stop } from '../../support/program.js';
import { withLog } from '../../support/eventLogAccess.js';

const quiet = { ROOMWIRE_LOG_LEVEL: 'error', ROOMWIRE_REST_RATE: '0' };

describe('roomwire keys rotate', () => {
  let folder: Awaited<ReturnType<typeof temporaryFolder>>;
  let file: string;

  beforeEach(async () => {
    folder = await temporaryFolder();
    file = join(folder.path, 'secrets.json');
  });
  afterEach(() => folder.remove());

  const kept = async () => JSON.parse(await readFile(file, 'utf8')) as SecretsFile;
  const boxOf = (masterKeys: MasterKeys) => secretBoxFor(masterKeys, 'signingKeys');
  const keptKeys = async () => keptMasterKeys(file, await kept(), []);

  /** Starts the service for as long as it takes to make keys; resolves with their secrets as shown, by id. */
  const makeKeys = async (count: number, environment: Readonly<Record<string, string>> = {}) => {
    const service = await startProgram(folder.path, { ...quiet, ...environment });
    const made = await Promise.all(
      Array.from({ length: count }, (_, index) => newKey(service.project, index)),
    );
    await stop(service);
    return new Map(made);
  };

  /** What the log has under which master key, and its secrets as the box opens them. */
  const look = (box: SecretBox) =>
    withLog({ ...readConfig({}), dataDir: folder.path }, async (log) => {
      const current = await createCurrentSigningKeys(log).read();
      return {
        secrets: new Map(
          current.map(({ record: key }) => [key.signingKeyId, box.open(key.sealedSecret, key.signingKeyId)]),
        ),
        masterKeyIds: current.map(({ record: key }) => key.sealedSecret.masterKeyId),
      };
    });

  const rotate = (environment: Readonly<Record<string, string>> = {}) =>
    runRoomwire(['keys', 'rotate'], { ROOMWIRE_DATA_DIR: folder.path, ...environment });
  const rotated = async (environment?: Readonly<Record<string, string>>) => {
    const program = rotate(environment);
    const { code } = await program.ended;
    return { code, stdout: program.stdout(), stderr: program.stderr() };
  };

  it('creates a new master key, seals every secret under it, and removes the old one', async () => {
    const secrets = await makeKeys(5);
    const before = await kept();
    const { code, stdout } = await rotated();
    const masterKeys = await keptKeys();
    const box = boxOf(masterKeys);
    const after = await kept();
    const [earlierSessions] = after.previousSessionSecrets ?? [];
    expect({ code, stdout }).to.eql({
      code: 0,
      stdout:
        `Re-encrypted 5 of 5 signing keys under the master key ${sealingKeyIdOf(masterKeys.current)}\n` +
        `The session secret is new; earlier sessions end by ${earlierSessions?.until}\n`,
    });
    expect(after).to.have.all.keys(
      ...['masterKey', 'previousAuditKeys', 'sessionSecret', 'previousSessionSecrets'],
    );
    // Events that the old key has proven can be verified for ever, and nothing be opened by what is kept for it.
    const formerKey = Buffer.from(auditKeyOf(Buffer.from(before.masterKey, 'base64'))).toString('base64');
    expect(after.previousAuditKeys).to.eql([formerKey]);
    expect(after.masterKey).to.not.equal(before.masterKey);
    expect(after.sessionSecret).to.not.equal(before.sessionSecret);
    expect(earlierSessions?.secret).to.equal(before.sessionSecret);
    for (const secret of [after.sessionSecret, before.sessionSecret]) expect(stdout).to.not.include(secret);
    expect((await stat(file)).mode & 0o777).to.equal(0o600);
    expect(stdout).to.not.include(after.masterKey);
    const { secrets: opened, masterKeyIds } = await look(boxOf(keptMasterKeys(file, after, [])));
    expect(opened).to.eql(secrets);
    expect(new Set(masterKeyIds)).to.eql(new Set([box.currentKeyId]));
    expect((await makeKeys(1)).size).to.equal(1);
  });

  it('loses nothing and can be repeated, wherever it is killed', async function () {
    this.timeout(120_000);
    const secrets = await makeKeys(150);
    const moments: unknown[] = [];
    for (const killedAt of [
      /The new master key is kept/,
      /"reencrypted":1\D/,
      /"reencrypted":10\D/,
      /"reencrypted":8\D/,
    ]) {
      const masterKey = moments.length === 0 ? undefined : (await kept()).masterKey;
      const program = rotate({ ROOMWIRE_LOG_LEVEL: 'debug' });
      await program.printed(killedAt);
      program.process.kill('SIGKILL');
      expect((await program.ended).signal).to.equal('SIGKILL');
      const box = boxOf(await keptKeys());
      const { secrets: opened, masterKeyIds } = await look(box);
      expect(opened, String(killedAt)).to.eql(secrets);
      // One rotation, however often it was begun.
      if (masterKey !== undefined) expect((await kept()).masterKey).to.equal(masterKey);
      moments.push(masterKeyIds.filter((id) => id === box.currentKeyId).length);
    }
    expect(moments, 're-encrypted at each end').to.eql([...moments].sort((a, b) => Number(a) - Number(b)));
    expect(moments.at(-1)).to.be.within(19, 149);
    // The service runs in the midst of it, too, and seals under the new key.
    const late = await makeKeys(1);
    const left = 150 - Number(moments.at(-1));
    expect((await rotated()).stdout).to.include(`Re-encrypted ${left} of 151 signing keys`);
    expect(await kept()).to.not.have.property('previousMasterKeys');
    const { secrets: opened } = await look(boxOf(await keptKeys()));
    expect(opened).to.eql(new Map([...secrets, ...late]));
  });

  it('creates a new session secret, beside which the old one verifies for a while', async function () {
    this.timeout(120_000);
    const statuses = async (...tokens: readonly string[]) => {
      const { baseUrl } = service;
      const answers = tokens.map((token) =>
        fetch(`${baseUrl}/v1/organizations`, { headers: { authorization: `Bearer ${token}` } }),
      );
      return (await Promise.all(answers)).map(({ status }) => status);
    };
    const minted = async () => {
      const program = runRoomwire(['token', '--operator', '--print'], { ROOMWIRE_DATA_DIR: folder.path });
      await program.ended;
      return program.stdout().trim();
    };
    let service = await startProgram(folder.path, quiet);
    const first = service.credentials.sessionToken;
    expect(await statuses(first)).to.eql([200]);
    await stop(service);
    expect((await rotated()).code).to.equal(0);
    const second = await minted();
    service = await startProgram(folder.path, quiet);
    expect(await statuses(first, second)).to.eql([200, 200]);
    await stop(service);

    // What has an end keeps it; what is rotated with no overlap has ended.
    const program = runRoomwire(['keys', 'rotate', '--session-overlap', '0'], {
      ROOMWIRE_DATA_DIR: folder.path,
    });
    expect((await program.ended).code).to.equal(0);
    service = await startProgram(folder.path, quiet);
    expect(await statuses(first, second, await minted())).to.eql([200, 401, 200]);
    await stop(service);

    const bad = runRoomwire(['keys', 'rotate', '--session-overlap', 'x'], {
      ROOMWIRE_DATA_DIR: folder.path,
    });
    expect((await bad.ended).code).to.equal(2);
  });

  it('leaves a configured session secret, and verifies with the configured previous ones', async function () {
    this.timeout(120_000);
    const [old, next] = [1, 2].map((fill) => Buffer.alloc(32, fill).toString('base64')) as [string, string];
    const environment = { ROOMWIRE_DATA_DIR: folder.path, ROOMWIRE_SESSION_SECRET: old };
    const program = runRoomwire(['token', '--operator', '--print'], environment);
    await program.ended;
    const authorization = `Bearer ${program.stdout().trim()}`;
    const statusWith = async (previous: Readonly<Record<string, string>>) => {
      const service = await startProgram(folder.path, {
        ...{ ...quiet, ROOMWIRE_SESSION_SECRET: next },
        ...previous,
      });
      const answer = await fetch(`${service.baseUrl}/v1/organizations`, { headers: { authorization } });
      await stop(service);
      return answer.status;
    };
    expect(await statusWith({ ROOMWIRE_SESSION_SECRET_PREVIOUS: old })).to.equal(200);
    expect(await statusWith({})).to.equal(401);
    const before = await kept();
    expect((await rotated({ ROOMWIRE_SESSION_SECRET: next })).stdout).to.include(
      'ROOMWIRE_SESSION_SECRET is configured',
    );
    expect((await kept()).sessionSecret).to.equal(before.sessionSecret);
  });

  it('refuses a folder that a running program uses', async () => {
    const service = await startProgram(folder.path, quiet);
    const before = await kept();
    const { code, stderr } = await rotated();
    expect(code).to.equal(1);
    expect(stderr).to.match(
      /^The data folder .+ is in use by process \d+: stop Roomwire, rotate, and start it again\n$/,
    );
    expect(await kept()).to.eql(before);
    await stop(service);
  });

  it('reports that there is no master key, and creates no folder', async () => {
    const missing = join(folder.path, 'missing');
    const { code, stderr } = await rotated({ ROOMWIRE_DATA_DIR: missing });
    expect(code).to.equal(2);
    expect(stderr).to.include(`set ROOMWIRE_MASTER_KEY, or start Roomwire once on ${missing}`);
    expect(await stat(missing).catch(() => 'missing')).to.equal('missing');
  });

  it('uses configured master keys, and requires the one that is missing', async () => {
    const [first, second] = [1, 2].map((fill) => Buffer.alloc(32, fill).toString('base64')) as [
      string,
      string,
    ];
    const secrets = await makeKeys(3, { ROOMWIRE_MASTER_KEY: first });
    const newKeys = { current: Buffer.from(second, 'base64') };
    const oldId = boxOf({ current: Buffer.from(first, 'base64') }).currentKeyId;

    const without = await rotated({ ROOMWIRE_MASTER_KEY: second });
    expect(without.code).to.equal(1);
    expect(without.stderr.trim()).to.equal(
      `Re-encrypted 0 of 3 signing keys under the master key ${sealingKeyIdOf(newKeys.current)}; ` +
        '3 could not be opened and stay as they are: ' +
        `A secret is sealed under the key ${oldId}, which is not configured`,
    );

    const environment = { ROOMWIRE_MASTER_KEY: second, ROOMWIRE_MASTER_KEY_PREVIOUS: first };
    for (const count of [3, 0])
      expect((await rotated(environment)).stdout).to.include(`Re-encrypted ${count} of 3 signing keys`);
    expect((await look(boxOf(newKeys))).secrets).to.eql(secrets);
  });
});

describe('roomwire keys derive', () => {
  const derived = async (args: readonly string[], environment: Readonly<Record<string, string>>) => {
    const program = runRoomwire(['keys', 'derive', ...args], environment);
    const { code } = await program.ended;
    return { code, stdout: program.stdout(), stderr: program.stderr() };
  };
  const [current, former] = [1, 2].map((fill) => Buffer.alloc(32, fill).toString('base64')) as [
    string,
    string,
  ];
  const configured = { ROOMWIRE_MASTER_KEY: current, ROOMWIRE_MASTER_KEY_PREVIOUS: former };

  it('prints the key of each service, as lines that its environment takes', async () => {
    const { code, stdout } = await derived(['--print'], configured);
    expect(code).to.equal(0);
    const environment = Object.fromEntries(
      stdout
        .trim()
        .split('\n')
        .map((line) => line.split(/=(.*)/s, 2)),
    );
    const { gatewayKey, previousGatewayKeys, webhookKey, auditKey } = readConfig(environment);
    const masterKey = Buffer.from(current, 'base64');
    expect([gatewayKey, webhookKey, auditKey].map((key) => Buffer.from(key ?? []))).to.eql(
      [
        deriveKey(masterKey, 'signingKeys'),
        deriveKey(masterKey, 'webhookSecrets'),
        auditKeyOf(masterKey),
      ].map((key) => Buffer.from(key)),
    );
    expect(previousGatewayKeys.map((key) => Buffer.from(key))).to.eql([
      Buffer.from(deriveKey(Buffer.from(former, 'base64'), 'signingKeys')),
    ]);
  });

  it('prints nothing where that may be kept, unless it is asked to, and needs a master key', async () => {
    const kept = await derived([], configured);
    expect(kept).to.include({ code: 2, stdout: '' });
    expect(kept.stderr).to.include('--print');
    expect(await derived(['--print'], {})).to.eql({
      code: 2,
      stdout: '',
      stderr: 'Set ROOMWIRE_MASTER_KEY\n',
    });
  });
});

const newKey = async (client: ApiClient, index: number): Promise<[string, string]> => {
  const { body } = await client.post('/signing-keys', { name: `k${index}` });
  return [body.signingKeyId, (body.signingKey as string).split('.')[1] ?? ''];
};

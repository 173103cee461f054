import { Buffer } from 'node:buffer';
import { expect } from 'chai';
import { createCurrentSigningKeys } from '@roomwire/command-api/secrets/currentSecrets';
import { readConfig } from '../../src/config/config.js';
import { secretBoxFor } from '../../src/secrets/sealingKeys.js';
import type { ApiClient } from '../support/apiClient.js';
import { enginesOfTheRun, startCluster, type Cluster } from '../support/cluster.js';
import { runRoomwire } from '../support/program.js';
import { withLog } from '../support/eventLogAccess.js';

const key = (fill: number) => Buffer.alloc(32, fill).toString('base64');
const settings = {
  ROOMWIRE_MASTER_KEY: key(10),
  // The cluster's, and that of the other tests, whose keys are in the log of a server that the run was given.
  ROOMWIRE_MASTER_KEY_PREVIOUS: `${key(9)},${key(7)}`,
};

describe('roomwire keys rotate, beside services on engines', function () {
  this.timeout(120_000);
  let engines: Awaited<ReturnType<typeof enginesOfTheRun>>;
  let cluster: Cluster;

  before(async () => {
    engines = await enginesOfTheRun();
    cluster = await startCluster(engines);
  });
  after(async () => {
    await cluster.close();
    await engines.close();
  });

  const rotate = (environment: Readonly<Record<string, string>> = {}) =>
    runRoomwire(['keys', 'rotate'], {
      ROOMWIRE_EVENTSTORE_URL: engines.eventStoreUrl,
      ...settings,
      ...environment,
    });
  /** The secrets of the log that open with the new key alone, by id. */
  const opened = () =>
    withLog(readConfig({ ROOMWIRE_EVENTSTORE_URL: engines.eventStoreUrl }), async (log) => {
      const box = secretBoxFor({ current: Buffer.alloc(32, 10) }, 'signingKeys');
      const current = await createCurrentSigningKeys(log).read();
      return new Map(
        current
          .filter(({ record: { sealedSecret } }) => sealedSecret.masterKeyId === box.currentKeyId)
          .map(({ record: key }) => [key.signingKeyId, box.open(key.sealedSecret, key.signingKeyId)]),
      );
    });

  it('loses no secret and no change, although it is killed and the keys change meanwhile', async () => {
    const [before] = await Promise.all([cluster.add('command-api'), cluster.add('projections')]);
    const after = await cluster.add('command-api', settings);
    const [oldClient, client] = (await cluster.newProject({}, before, after)).clients as [
      ApiClient,
      ApiClient,
    ];
    const made = await Promise.all(Array.from({ length: 24 }, (_, index) => newKey(oldClient, index)));
    await cluster.stop(before);

    const killed = rotate({ ROOMWIRE_LOG_LEVEL: 'debug' });
    await killed.printed(/"reencrypted":5\D/);
    killed.process.kill('SIGKILL');
    await killed.ended;

    let running = true;
    const program = rotate();
    const busy = Promise.all(
      made.map(async ([signingKeyId]) => {
        for (let round = 0; running || round < 3; round += 1)
          expect(
            (await client.patch(`/signing-keys/${signingKeyId}`, { name: `n${round}` })).status,
          ).to.equal(200);
        const name = 'last';
        expect((await client.patch(`/signing-keys/${signingKeyId}`, { name })).body).to.include({ name });
      }),
    );
    const late = await newKey(client, 24);
    const { code } = await program.ended.finally(() => (running = false));
    await busy;
    expect(code, program.stderr()).to.equal(0);
    expect(program.stdout()).to.match(/^Re-encrypted \d+ of \d+ signing keys/);

    const secrets = await opened();
    for (const [signingKeyId, secret] of [...made, late])
      expect(secrets.get(signingKeyId), signingKeyId).to.equal(secret);
    for (const [signingKeyId] of made)
      expect((await client.get(`/signing-keys/${signingKeyId}`)).body.name).to.equal('last');
    const again = rotate();
    expect((await again.ended).code).to.equal(0);
    expect(again.stdout()).to.match(/^Re-encrypted 0 of /);
  });
});

const newKey = async (client: ApiClient, index: number): Promise<[string, string]> => {
  const { body } = await client.post('/signing-keys', { name: `k${index}` });
  return [body.signingKeyId, (body.signingKey as string).split('.')[1] ?? ''];
};

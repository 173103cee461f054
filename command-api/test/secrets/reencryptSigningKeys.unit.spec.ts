import { expect } from 'chai';
import { systemClock } from '@roomwire/shared/adapters/system/systemClock';
import { systemRandom } from '@roomwire/shared/adapters/system/systemRandom';
import { createSecretBox, type SecretBox } from '@roomwire/shared/credentials/secretBox';
import type { NewEvent } from '@roomwire/shared/domain/eventEnvelope';
import { EngineUnavailable } from '@roomwire/shared/ports/errors';
import type { EventLog } from '@roomwire/shared/ports/eventLog';
import { silentLogger } from '@roomwire/testing/fakes/loggers';
import { createStreamWriter } from '../../src/handling/streamWriter.js';
import { projectTarget } from '../../src/projects/decider.js';
import { signingKeyTarget, type SigningKeyCommand } from '../../src/signing-keys/decider.js';
import { createCurrentSigningKeys } from '../../src/secrets/currentSecrets.js';
import { reencryptSigningKeys } from '../../src/secrets/reencryptSecrets.js';
import { bothBox, newBox, oldBox } from '../support/rotatedBoxes.js';
import { openTemporaryLog } from '../support/temporaryLog.js';

const context = (projectId: string) => ({
  occurredAt: '2026-01-01T00:00:00.000Z',
  organizationId: 'o1',
  projectId,
  principal: 'apiKey:ak_live_1',
  requestId: 'r1',
});

describe('a rotation of the master key', () => {
  let close: () => Promise<void>;
  let log: EventLog;

  beforeEach(async () => {
    ({ log, close } = await openTemporaryLog());
  });
  afterEach(() => close());

  const execute = async (command: SigningKeyCommand, projectId = 'p1') => {
    const id = command.type === 'CreateSigningKey' ? command.signingKey.signingKeyId : command.signingKeyId;
    const { stream, decider } = signingKeyTarget(id);
    await createStreamWriter({ stream, log, random: systemRandom }).submit(decider, {
      decide: (state) => decider.decide(command, state),
      context: context(projectId),
      select: () => undefined,
    });
  };
  const create = async (signingKeyId: string, box: SecretBox = oldBox, projectId = 'p1') => {
    const sealedSecret = box.seal(`secret of ${signingKeyId}`, signingKeyId);
    const signingKey = {
      ...{ signingKeyId, projectId, allowExternalActors: false, sealedSecret },
      keyId: `sk_live_${signingKeyId}`,
      name: 'Key',
    };
    await execute({ type: 'CreateSigningKey', signingKey }, projectId);
  };
  const rotate = (over: EventLog = log, secretBox: SecretBox = bothBox) =>
    reencryptSigningKeys({
      log: over,
      secretBox,
      clock: systemClock,
      random: systemRandom,
      logger: silentLogger,
    });
  const current = () => createCurrentSigningKeys(log).read();
  const openable = async (box: SecretBox) =>
    (await current()).map(({ record: key }) => box.open(key.sealedSecret, key.signingKeyId));
  const events = async () => {
    const all = [];
    for await (const batch of log.readAll()) all.push(...batch);
    return all;
  };

  it('encrypts every key with the new master key, as the principal `system`', async () => {
    for (const id of ['k1', 'k2', 'k3']) await create(id);
    await create('k4', newBox);
    expect(await rotate()).to.eql({ reencrypted: 3, total: 4, unopened: new Map() });
    expect(await openable(newBox)).to.eql(['k1', 'k2', 'k3', 'k4'].map((id) => `secret of ${id}`));
    const last = (await events()).at(-1);
    expect(last).to.include({ type: 'SigningKeyResealed' });
    expect(last?.metadata).to.include({ principal: 'system', organizationId: 'o1', projectId: 'p1' });
  });

  it('changes nothing the second time', async () => {
    await create('k1');
    await rotate();
    const { length } = await events();
    expect(await rotate()).to.include({ reencrypted: 0, total: 1 });
    expect(await events()).to.have.length(length);
  });

  it('skips keys that were deleted, alone or with their project', async () => {
    await create('k1');
    await create('k2');
    await create('k3', oldBox, 'p2');
    await execute({ type: 'DeleteSigningKey', signingKeyId: 'k1', projectId: 'p1' });
    const { stream, decider } = projectTarget('p2');
    const writer = createStreamWriter({ stream, log, random: systemRandom });
    for (const command of [
      { type: 'CreateProject', project: { projectId: 'p2', organizationId: 'o1', name: 'P' } },
      { type: 'DeleteProject', projectId: 'p2', organizationId: 'o1' },
    ] as const)
      await writer.submit(decider, {
        decide: (state) => decider.decide(command, state),
        context: context('p2'),
        select: () => undefined,
      });
    expect(await rotate()).to.include({ reencrypted: 1, total: 1 });
    expect((await events()).filter(({ type }) => type === 'SigningKeyResealed')).to.have.length(1);
  });

  it('leaves keys that it cannot decrypt, reports why, and does the rest', async () => {
    const foreign = createSecretBox({ current: new Uint8Array(32).fill(3) });
    await create('k1', foreign);
    await create('k2');
    const sealedSecret = oldBox.seal('stolen', 'k2');
    const signingKey = {
      ...{ signingKeyId: 'k3', projectId: 'p1', keyId: 'sk_live_3', name: 'x' },
      ...{ allowExternalActors: false, sealedSecret },
    };
    await execute({ type: 'CreateSigningKey', signingKey });
    const { reencrypted, unopened } = await rotate();
    expect(reencrypted).to.equal(1);
    expect([...unopened].map(([id, { reason, masterKeyId }]) => [id, reason, masterKeyId])).to.eql([
      ['k1', 'unknown_master_key', foreign.currentKeyId],
      ['k3', 'not_authentic', oldBox.currentKeyId],
    ]);
  });

  it('continues after an interruption at any append', async () => {
    for (let id = 0; id < 6; id += 1) await create(`k${id}`);
    for (let left = 0; left < 6; left += 1) {
      let appends = 1;
      const dying: EventLog = Object.assign(Object.create(log) as EventLog, {
        append: (...args: Parameters<EventLog['append']>) =>
          appends-- > 0 ? log.append(...args) : Promise.reject(new EngineUnavailable('event log')),
        readStream: (...args: [string, number?]) => log.readStream(...args),
        readAll: (position?: string) => log.readAll(position),
      });
      const outcome = await rotate(dying).catch((error: unknown) => error);
      if (left < 5) expect(outcome).to.be.instanceOf(EngineUnavailable);
      expect(await openable(bothBox)).to.have.length(6);
    }
    expect(await rotate()).to.include({ reencrypted: 0, total: 6 });
    expect(await openable(newBox)).to.have.length(6);
  });

  it('runs beside commands on the same keys, and no change is lost', async () => {
    const ids = Array.from({ length: 30 }, (_, index) => `k${index}`);
    for (const id of ids) await create(id);
    // Each append of the rotation finds that a command on the key was a moment faster.
    const contested: EventLog = Object.assign(Object.create(log) as EventLog, {
      async append(stream: string, expected: number, batch: readonly [NewEvent, ...NewEvent[]]) {
        const signingKeyId = stream.slice('signingKey-'.length);
        await execute({
          ...{ type: 'UpdateSigningKey', signingKeyId, projectId: 'p1' },
          changes: { name: 'Renamed' },
        });
        return log.append(stream, expected, batch);
      },
      readStream: (...args: [string, number?]) => log.readStream(...args),
      readAll: (position?: string) => log.readAll(position),
    });
    expect(await rotate(contested)).to.include({ reencrypted: 30, total: 30 });
    expect(await openable(newBox)).to.eql(ids.map((id) => `secret of ${id}`));
    expect((await current()).every(({ record: key }) => key.name === 'Renamed')).to.equal(true);
  });

  it('includes keys that are created under the old master key while it runs', async () => {
    await create('k1');
    let late = true;
    const busy: EventLog = Object.assign(Object.create(log) as EventLog, {
      async append(...args: Parameters<EventLog['append']>) {
        if (late) {
          late = false;
          await create('k2');
        }
        return log.append(...args);
      },
      readStream: (...args: [string, number?]) => log.readStream(...args),
      readAll: (position?: string) => log.readAll(position),
    });
    expect(await rotate(busy)).to.include({ reencrypted: 2, total: 2 });
    expect(await openable(newBox)).to.eql(['secret of k1', 'secret of k2']);
  });
});

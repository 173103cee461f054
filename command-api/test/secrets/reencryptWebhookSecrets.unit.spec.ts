import { expect } from 'chai';
import { systemClock } from '@roomwire/shared/adapters/system/systemClock';
import { systemRandom } from '@roomwire/shared/adapters/system/systemRandom';
import { createSecretBox, type SecretBox } from '@roomwire/shared/credentials/secretBox';
import type { EventLog } from '@roomwire/shared/ports/eventLog';
import { silentLogger } from '@roomwire/testing/fakes/loggers';
import { createStreamWriter } from '../../src/handling/streamWriter.js';
import { webhookSecretsTarget, type WebhookSecretCommand } from '../../src/webhook-secrets/decider.js';
import { createCurrentWebhookSecrets } from '../../src/secrets/currentSecrets.js';
import { reencryptWebhookSecrets } from '../../src/secrets/reencryptSecrets.js';
import { bothBox, newBox, oldBox } from '../support/rotatedBoxes.js';
import { openTemporaryLog } from '../support/temporaryLog.js';

describe('a rotation of the master key, over webhook secrets', () => {
  let close: () => Promise<void>;
  let log: EventLog;

  beforeEach(async () => {
    ({ log, close } = await openTemporaryLog());
  });
  afterEach(() => close());

  const execute = async (projectId: string, command: WebhookSecretCommand): Promise<void> => {
    const { stream, decider } = webhookSecretsTarget(projectId);
    await createStreamWriter({ stream, log, random: systemRandom }).submit(decider, {
      decide: (state) => decider.decide(command, state),
      context: {
        occurredAt: '2026-01-01T00:00:00.000Z',
        organizationId: 'o1',
        projectId,
        principal: 'session:ada',
        requestId: 'r1',
      },
      select: () => undefined,
    });
  };
  const create = (projectId: string, webhookSecretId: string, box: SecretBox = oldBox): Promise<void> => {
    const sealedSecret = box.seal(`whsec_${webhookSecretId}`, webhookSecretId);
    const secret = { webhookSecretId, projectId, name: 'S', sealedSecret };
    return execute(projectId, { type: 'CreateWebhookSecret', secret });
  };
  const reencrypt = (secretBox: SecretBox) =>
    reencryptWebhookSecrets({
      log,
      secretBox,
      clock: systemClock,
      random: systemRandom,
      logger: silentLogger,
    });

  it('encrypts every remaining secret with the new master key, and changes nothing the second time', async () => {
    await create('p1', 'a');
    await create('p1', 'b');
    await create('p2', 'c', bothBox);
    await create('p3', 'd');
    await execute('p3', { type: 'DeleteWebhookSecret', webhookSecretId: 'd' });
    expect(await reencrypt(bothBox)).to.eql({ reencrypted: 2, total: 3, unopened: new Map() });
    const current = await createCurrentWebhookSecrets(log).read();
    for (const { record: secret } of current)
      expect(newBox.open(secret.sealedSecret, secret.webhookSecretId)).to.equal(
        `whsec_${secret.webhookSecretId}`,
      );
    expect(await reencrypt(newBox)).to.include({ reencrypted: 0, total: 3 });
  });

  it('reports the secrets that it could not decrypt, and leaves them', async () => {
    await create('p1', 'a', createSecretBox({ current: new Uint8Array(32).fill(3) }));
    await create('p2', 'b');
    const report = await reencrypt(bothBox);
    expect(report).to.include({ reencrypted: 1, total: 2 });
    expect([...report.unopened.keys()]).to.eql(['a']);
  });
});

import { expect } from 'chai';
import { createSecretBox } from '@roomwire/shared/credentials/secretBox';
import type { RecordedEvent } from '@roomwire/shared/domain/eventEnvelope';
import { EngineUnavailable } from '@roomwire/shared/ports/errors';
import type { ViewReader } from '@roomwire/shared/ports/viewStore';
import { rejectionOf } from '@roomwire/testing/contracts/event-log/eventLogUnderTest';
import { ManualClock } from '@roomwire/testing/fakes/manualClock';
import { OwnerGone } from '../../src/deliver/ownerGone.js';
import { ProjectSecrets } from '../../src/deliver/projectSecrets.js';

describe('[HOOK-SIGN-2] the secrets of a project', () => {
  let isThere: boolean;
  let admitsReaders: boolean;
  let secrets: ProjectSecrets;

  beforeEach(() => {
    [isThere, admitsReaders] = [true, true];
    const views = {
      find: async () => [],
      get: async () => (isThere ? {} : undefined),
      admitsReaders: async () => admitsReaders,
    } as unknown as ViewReader;
    const secretBox = createSecretBox({ current: new Uint8Array(32) });
    secrets = new ProjectSecrets({ views, secretBox, clock: new ManualClock() });
  });

  it('are gone with it once its deletion is told', async () => {
    expect(await secrets.keys('p')).to.eql([]);
    isThere = false;
    expect(await secrets.keys('p')).to.eql([]);
    secrets.happened({ type: 'ProjectDeleted', metadata: { projectId: 'p' } } as RecordedEvent);
    expect(await rejectionOf(secrets.keys('p'))).to.be.instanceOf(OwnerGone);
  });

  it('are not known while the read models are lost, which say nothing of a deletion', async () => {
    [isThere, admitsReaders] = [false, false];
    expect(await rejectionOf(secrets.keys('p'))).to.be.instanceOf(EngineUnavailable);
    [isThere, admitsReaders] = [true, true];
    expect(await secrets.keys('p')).to.eql([]);
  });
});

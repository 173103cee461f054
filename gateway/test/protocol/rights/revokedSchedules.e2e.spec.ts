import { expect } from 'chai';
import { externalActorId } from '@roomwire/shared/credentials/externalActor';
import { createdTokenRevocation } from '@roomwire/shared/domain/tokenRevocation';
import { systemRandom } from '@roomwire/shared/adapters/system/systemRandom';
import type { QueueWorker } from '@roomwire/shared/ports/messageBus';
import { webhookReports } from '@roomwire/shared/wire/bus/webhookReports';
import { clientToken } from '@roomwire/testing/clients/clientTokens';
import type { Frame, FrameClient } from '@roomwire/testing/clients/frameClient';
import { ManualClock } from '@roomwire/testing/fakes/manualClock';
import { eventually } from '@roomwire/testing/run/eventually';
import { nextPosition } from '../../support/estate.js';
import { World } from '../../support/world.js';

const aMinute = 60_000;
const aDay = 24 * 60 * aMinute;
const subject = 'ext:mallory';

describe('what an external actor has scheduled', () => {
  let world: World;
  let clock: ManualClock;
  let key: Awaited<ReturnType<World['signingKey']>>;
  let topic: string;
  let refused: string[];
  let reading: QueueWorker;

  beforeEach(async () => {
    [clock, refused] = [new ManualClock(), []];
    world = await World.open({ clock, scheduleLookMs: 20, publishRate: 0 });
    [key, topic] = [await world.signingKey({ allowExternalActors: true }), await world.newsroom()];
    reading = await world.bus.work(webhookReports, { concurrency: 1 }, async (report) => {
      if (!('work' in report) || report.outcome !== 'lost' || report.work.projectId !== world.projectId)
        return;
      expect(report.error).to.equal('unknown_actor');
      refused.push(report.work.scheduledId ?? '');
    });
  });
  afterEach(async () => {
    await reading.close();
    await world.close();
  });

  /** Minutes from now, negative ones before. */
  const isoIn = (minutes: number) => new Date(clock.now() + minutes * aMinute).toISOString();

  /** With a token that was issued so many minutes ago, or does not say when. */
  const join = (minutesAgo?: number): Promise<FrameClient> => {
    const seconds = Math.floor(clock.now() / 1_000);
    const iat = minutesAgo === undefined ? undefined : seconds - minutesAgo * 60;
    return world.joinAs(clientToken(key, subject, { iat, exp: seconds + 3_600 }));
  };
  const schedule = async (client: FrameClient, data: string, inMs = aMinute): Promise<string> => {
    const deliverAt = clock.now() + inMs;
    const answer = (await client.ask({ type: 'publish', topic, data, msgRef: 'r', deliverAt })) as Frame;
    return answer['scheduledId'] as string;
  };
  /** As the projections write it. */
  const revoke = async (before: string): Promise<void> => {
    const [revocationId, { projectId }] = [systemRandom.uuid(), world];
    const fields = {
      ...{ revocationId, projectId, subject, before },
      actorTokenId: externalActorId(projectId, subject),
    };
    const doc = { ...createdTokenRevocation(fields, isoIn(0)), createdPosition: nextPosition() };
    await world.happened(
      { type: 'TokensRevoked', data: fields },
      { put: 'tokenRevocations', id: revocationId, doc },
    );
  };

  it('[WS-LATER-3] is refused when it is due and the token has been revoked since, by when that was issued', async () => {
    const reader = await (await world.join()).subscribe(topic);
    const revoked = await schedule(await join(25), 'under a token of 25 minutes ago');
    await schedule(await join(5), 'under a token of 5 minutes ago');
    await revoke(isoIn(-15));
    clock.pass(aMinute);
    expect(await reader.next()).to.include({ data: 'under a token of 5 minutes ago' });
    await eventually(() => refused.length > 0);
    expect(refused).to.deep.equal([revoked]);
  });

  it('[WS-LATER-3] is refused also when it is due after the revocation is no longer shown', async () => {
    const scheduledId = await schedule(await join(5), 'much later', 5 * aDay);
    await revoke(isoIn(0));
    clock.pass(5 * aDay);
    await eventually(() => refused.length > 0, { withinMs: 10_000 });
    expect(refused).to.deep.equal([scheduledId]);
  });

  it('[WS-LATER-3] under a token without iat is refused for each revocation since, and for none before', async () => {
    await revoke(isoIn(0));
    clock.pass(2 * aDay);
    const reader = await (await world.join()).subscribe(topic);
    await schedule(await join(), 'kept');
    clock.pass(aMinute);
    expect(await reader.next()).to.include({ data: 'kept' });
    const scheduledId = await schedule(await join(), 'revoked');
    clock.pass(1);
    await revoke(isoIn(-60));
    clock.pass(aMinute);
    await eventually(() => refused.length > 0);
    expect(refused).to.deep.equal([scheduledId]);
  });
});

import { expect } from 'chai';
import { randomUUID } from 'node:crypto';
import type { ViewStore } from '@roomwire/shared/ports/viewStore';
import { createRecordingLogger } from '@roomwire/testing/fakes/loggers';
import { eventually } from '@roomwire/testing/run/eventually';
import type { Frame, FrameClient } from '@roomwire/testing/clients/frameClient';
import { LimitReports } from '@roomwire/shared/runtime/limitReports';
import { systemClock } from '@roomwire/shared/adapters/system/systemClock';
import { overlaid } from '../../support/overlaid.js';
import { World } from '../../support/world.js';

/** A delay that no test waits for. */
const never = 3_600_000;

describe('failed authentication', () => {
  let world: World;
  let reads: number;

  const counted = (views: ViewStore): ViewStore =>
    overlaid(views, {
      get: async (view, id) => {
        reads++;
        return views.get(view, id);
      },
      find: async (view, query) => {
        reads++;
        return views.find(view, query);
      },
    });

  const attempt = async (token: string, client?: FrameClient): Promise<Frame> =>
    (await (client ?? (await world.connect())).ask({ type: 'auth', token })) as Frame;

  const denied = { type: 'auth', success: false, error: 'access_denied' };

  beforeEach(async () => {
    world = await World.open({ views: counted });
    reads = 0;
  });

  afterEach(() => world.close());

  it('[WS-AUTH-18] costs no read when a wrong secret is tried again', async () => {
    const { token } = await world.actor();
    const wrong = token.replace(/.{10}$/, 'aaaaaaaaaa');
    expect(await attempt(wrong)).to.deep.equal(denied);
    expect(reads).to.be.above(0);
    reads = 0;
    for (let again = 0; again < 5; again++) expect(await attempt(wrong)).to.deep.equal(denied);
    expect(reads).to.equal(0);
    // Whatever happens: a secret does not change.
    await world.happened({
      type: 'ProjectUpdated',
      data: { projectId: world.projectId, changes: {} },
    } as never);
    expect(await attempt(wrong)).to.deep.equal(denied);
    expect(reads).to.equal(0);
    expect(await attempt(token)).to.include({ success: true });
  });

  it('[WS-AUTH-18] costs no read when an unknown or a disabled actor tries again', async () => {
    const { token } = await world.actor({ status: 'disabled' });
    const unknown = `at_live_${randomUUID().replaceAll('-', '')}.secret`;
    for (const bad of [token, unknown]) {
      expect(await attempt(bad)).to.deep.equal(denied);
      reads = 0;
      for (let again = 0; again < 5; again++) expect(await attempt(bad)).to.deep.equal(denied);
      expect(reads).to.equal(0);
    }
  });

  it('[WS-AUTH-18] of a disabled actor is over as soon as the actor is enabled', async () => {
    const { record, token } = await world.actor({ status: 'disabled' });
    expect(await attempt(token)).to.deep.equal(denied);
    const { actorTokenId } = record;
    await world.happened(
      { type: 'ActorUpdated', data: { actorTokenId, changes: { status: 'active' } } },
      { patch: 'actors', id: actorTokenId, set: { status: 'active' } },
    );
    expect(await attempt(token)).to.include({ success: true });
  });

  it('[WS-AUTH-18] is answered late after the fifth of an address, while a good credential of the address is not', async () => {
    const { logger, lines } = createRecordingLogger();
    const limits = new LimitReports({ clock: systemClock, logger });
    await world.startGateway({ failedAuthDelayMs: never, limits });
    const { token } = await world.actor();
    for (let n = 0; n < 5; n++)
      expect(await attempt(`junk-${n}`, await world.connect(1))).to.deep.equal(denied);
    // The first delays are short: 100 ms, 200, ... After a dozen failures no answer comes in the time of this test.
    const late = await Promise.all(Array.from({ length: 12 }, () => world.connect(1)));
    late.forEach((client, n) => client.send({ type: 'auth', token: `more-junk-${n}` }));
    const slow = late.at(-1) as FrameClient;
    let answered = false;
    void slow.next().then(
      () => (answered = true),
      () => undefined,
    );
    await eventually(() => lines.some(({ fields }) => fields?.['limit'] === 'failedAuthsPerAddress'));
    for (let n = 0; n < 5; n++) await world.joinAs(token, 1);
    expect(answered).to.equal(false);
    const [line] = lines.filter(({ fields }) => fields?.['limit'] === 'failedAuthsPerAddress');
    expect(line?.fields?.['address']).to.equal('127.0.0.1');
    expect(JSON.stringify(lines)).not.to.include('junk');
  });

  it('[WS-AUTH-18] is counted by the id of the credential too, and a reauth counts', async () => {
    const { logger, lines } = createRecordingLogger();
    const limits = new LimitReports({ clock: systemClock, logger });
    await world.startGateway({ failedAuthDelayMs: 1, limits });
    const { record, token } = await world.actor();
    const client = await world.joinAs(token, 1);
    for (let n = 0; n < 6; n++)
      expect(await client.ask({ type: 'reauth', token: `${record.keyId}.wrong-${n}` })).to.deep.equal({
        ...denied,
        type: 'reauth',
      });
    const [line] = lines.filter(({ fields }) => fields?.['limit'] === 'failedAuthsPerCredential');
    expect(line?.fields).to.include({ keyId: record.keyId, address: '127.0.0.1' });
    expect(JSON.stringify(lines)).not.to.include('wrong');
    expect(await client.ask({ type: 'reauth', token })).to.include({ success: true });
  });
});

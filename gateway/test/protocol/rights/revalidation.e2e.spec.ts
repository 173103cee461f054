import { expect } from 'chai';
import type { LogPosition } from '@roomwire/shared/ports/eventLog';
import type { ViewReader } from '@roomwire/shared/ports/viewStore';
import { feedSpans } from '@roomwire/shared/wire/bus/feedSpans';
import { viewsVersion } from '@roomwire/shared/wire/views/views';
import type { FrameClient } from '@roomwire/testing/clients/frameClient';
import { collectedMetrics } from '@roomwire/testing/run/collectedMetrics';
import { eventually } from '@roomwire/testing/run/eventually';
import { overlaid } from '../../support/overlaid.js';
import { World } from '../../support/world.js';

/** What the projector says of the feed, every few milliseconds, like one that has nothing else to do. */
class Projector {
  private readonly world: World;
  private timer: NodeJS.Timeout | undefined;
  private said: LogPosition = '';

  constructor(world: World) {
    this.world = world;
  }

  work(): void {
    this.timer = setInterval(() => void this.say(0), 25);
  }

  stop(): void {
    clearInterval(this.timer);
  }

  /** So many events since the last time are on the feed. */
  async say(events: number): Promise<void> {
    const upTo = (await this.world.views.checkpoint()) ?? '';
    const after = events === 0 ? upTo : this.said;
    this.said = upTo;
    await this.world.bus.send(feedSpans, { viewsVersion, after, upTo, events }, 'stored');
  }
}

describe('the revalidation of who has missed nothing', () => {
  let world: World;
  let projector: Projector;
  /** Reads of actors. */
  let reads: number;

  beforeEach(async () => {
    reads = 0;
    const counting = (real: ViewReader) =>
      overlaid(real, {
        get: (view, id) => {
          if (view === 'actors') reads++;
          return real.get(view, id);
        },
      });
    world = await World.open({ revalidationMs: 400, views: (real) => counting(real) as typeof real });
    projector = new Projector(world);
  });
  afterEach(async () => {
    projector.stop();
    await world.close();
  });

  const revalidated = async (by: string): Promise<number> =>
    (await collectedMetrics(world.gateway.collect)).get(`roomwire_revalidated_actors_total ${by}`) ?? 0;
  const turnsWith = async (by: string, turns: number): Promise<void> => {
    const before = await revalidated(by);
    const isMore = async () => (await revalidated(by)) >= before + turns;
    await eventually(isMore, { what: `revalidation by ${by}` });
  };
  const connected = async (): Promise<{ client: FrameClient; id: string }> => {
    const member = await world.member();
    projector.work();
    await turnsWith('proof', 1);
    return member;
  };
  const disabled = (id: string) => world.put({ patch: 'actors', id, set: { status: 'disabled' } });
  const revoked = { code: 4001, reason: 'token_revoked' };

  it('[WS-AUTH-7] reads nothing while the projector says that nothing is missing', async () => {
    const { client } = await connected();
    const [readsBefore, readBefore] = [reads, await revalidated('reading')];
    await turnsWith('proof', 3);
    expect([reads, await revalidated('reading')]).to.deep.equal([readsBefore, readBefore]);
    expect(client.isClosed).to.equal(false);
  });

  it('[WS-AUTH-7] finds what a lost event would have told', async () => {
    const { client, id } = await connected();
    projector.stop();
    await projector.say(0);
    await disabled(id);
    await projector.say(1);
    projector.work();
    expect(await client.closed).to.deep.equal(revoked);
  });

  it('[WS-AUTH-7] finds what was written and never told', async () => {
    const { client, id } = await connected();
    projector.stop();
    await projector.say(0);
    await disabled(id);
    expect(await client.closed).to.deep.equal(revoked);
  });

  it('[WS-AUTH-7] finds what a projector has written that stands still amid a batch', async () => {
    const { client, id } = await connected();
    projector.stop();
    // The documents are changed ahead of the checkpoint.
    const { views } = world;
    if (!(await views.applyAhead([{ patch: 'actors', id, set: { status: 'disabled' } }])))
      throw new Error('This store does not lead');
    expect(await client.closed).to.deep.equal(revoked);
  });

  it('[WS-AUTH-7] reads for a time after a projector came back, and then no more', async () => {
    const { client } = await connected();
    projector.stop();
    await turnsWith('reading', 1);
    projector.work();
    await turnsWith('proof', 2);
    const before = reads;
    await turnsWith('proof', 2);
    expect(reads).to.equal(before);
    expect(client.isClosed).to.equal(false);
  });

  it('[WS-AUTH-7] reads after an event that is not understood', async () => {
    const { id } = await connected();
    projector.stop();
    await projector.say(0);
    await world.tell('SomethingNewer', {}, 1);
    await world.put({ patch: 'actors', id, set: { name: 'x' } });
    await projector.say(1);
    projector.work();
    await turnsWith('reading', 1);
  });
});

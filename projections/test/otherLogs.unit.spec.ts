import { cp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { openEmbeddedAuditIndex } from '@roomwire/shared/adapters/audit-index/embeddedAuditIndex';
import { openEmbeddedEventLog } from '@roomwire/shared/adapters/event-log/embeddedEventLog';
import { openDataFolder } from '@roomwire/shared/adapters/lmdb/dataFolder';
import { openEmbeddedMessageBus } from '@roomwire/shared/adapters/message-bus/embeddedMessageBus';
import { systemClock } from '@roomwire/shared/adapters/system/systemClock';
import { openEmbeddedViewStores } from '@roomwire/shared/adapters/view-store/embeddedViewStore';
import type { NewEvent } from '@roomwire/shared/domain/eventEnvelope';
import { MadeFromAnotherLog } from '@roomwire/shared/ports/errors';
import { domainEventFeed } from '@roomwire/shared/wire/bus/domainEventFeed';
import { rejectionOf } from '@roomwire/testing/contracts/event-log/eventLogUnderTest';
import { noPayloads } from '@roomwire/testing/fakes/noPayloads';
import { createRecordingLogger } from '@roomwire/testing/fakes/loggers';
import { eventually } from '@roomwire/testing/run/eventually';
import { temporaryFolder, type TemporaryFolder } from '@roomwire/testing/run/temporaryFolder';
import { createAuditFollower } from '../src/auditFollower.js';
import { createProjections } from '../src/projections.js';
import { newEvent } from './support/history.js';

/** An actor for each name; a number makes the events of a log unlike those of others. */
const actorsCreated = (log: number, ...names: readonly string[]): NewEvent[] =>
  names.map((name, index) =>
    newEvent(
      {
        type: 'ActorCreated',
        data: {
          ...{ actorTokenId: name, projectId: 'p', accessScopeId: null, scopeMembershipId: null },
          ...{ keyId: `at_live_${name}`, name, actorType: 'user', expiresAt: null, metadata: null },
          secretHash: '00',
        },
      },
      log * 1_000 + index,
    ),
  );

const open = async (path: string, refusesOtherLogs: boolean) => {
  const folder = await openDataFolder(path);
  const log = await openEmbeddedEventLog(folder);
  const stores = await openEmbeddedViewStores(folder);
  const index = await openEmbeddedAuditIndex(folder);
  const bus = await openEmbeddedMessageBus(folder);
  const { views } = stores;
  const { logger, lines } = createRecordingLogger();
  const deps = { log, logger, refusesOtherLogs };
  const projections = createProjections({ ...deps, views, bus, payloads: noPayloads, clock: systemClock });
  const follower = createAuditFollower({ ...deps, index });
  return {
    ...{ log, views, index, projections, follower, lines },
    fed: async () => {
      const ids: string[] = [];
      await bus.read(domainEventFeed, { interest: 'all' }, ({ id }) => void ids.push(id));
      return ids;
    },
    append: async (events: readonly NewEvent[]) => {
      const revision = (await log.readLast('s'))?.revision;
      const [first, ...rest] = events as [NewEvent, ...NewEvent[]];
      return (await log.append('s', revision ?? 'none', [first, ...rest])).position;
    },
    actors: async () => (await views.find('actors', { sort: [['actorTokenId', 1]] })).map(({ name }) => name),
    audited: async () => {
      await index.reached((await log.head()) ?? '', 5_000);
      const found = await index.find({ organizationId: 'o', order: 'oldest first', limit: 100 });
      return found.map(({ event }) => (event.data as { name: string }).name);
    },
    async close() {
      await projections.close();
      await follower.close();
      for (const each of [bus, index, stores, log, folder]) await each.close();
    },
  };
};

describe('what was made from another log, or from this one before it was put back', () => {
  let files: TemporaryFolder;
  let worlds: Awaited<ReturnType<typeof open>>[];

  beforeEach(async () => {
    files = await temporaryFolder();
    worlds = [];
  });
  afterEach(async () => {
    for (const world of worlds) await world.close();
    await files.remove();
  });

  const opened = async (name: string, { refusesOtherLogs = false } = {}) => {
    const world = await open(join(files.path, name), refusesOtherLogs);
    worlds.push(world);
    return world;
  };
  const started = async (name: string) => {
    const world = await opened(name);
    await world.follower.start();
    await world.projections.start();
    await world.projections.caughtUp;
    return world;
  };
  const closed = async (world: Awaited<ReturnType<typeof open>>): Promise<void> => {
    await world.close();
    worlds = worlds.filter((each) => each !== world);
  };
  /** A folder whose read models and audit index are those of the events. */
  const made = async (name: string, ...appends: readonly (readonly NewEvent[])[]): Promise<void> => {
    const world = await started(name);
    for (const events of appends) {
      const position = await world.append(events);
      await world.views.reached(position, 5_000);
      await world.index.reached(position, 5_000);
    }
    await closed(world);
  };
  const giveLog = async (from: string, to: string): Promise<void> => {
    await rm(join(files.path, to, 'events.lmdb-lock'), { force: true });
    await cp(join(files.path, from, 'events.lmdb'), join(files.path, to, 'events.lmdb'));
  };

  const [mine, others] = [actorsCreated(1, 'Ada', 'Bob'), actorsCreated(2, 'Cid', 'Dan', 'Eve')];
  const [mineLater, mineOtherwise] = [actorsCreated(3, 'Fay'), actorsCreated(4, 'Gus', 'Hal')];

  const expectOnly = async (world: Awaited<ReturnType<typeof open>>, names: readonly string[]) => {
    expect(await world.actors()).to.eql(names);
    expect(await world.audited()).to.eql(names);
  };

  for (const [which, events] of [
    ['another, longer', others],
    ['another, shorter', others.slice(0, 1)],
    ['another, equally long', others.slice(0, 2)],
  ] as const)
    it(`is made anew for ${which} log`, async () => {
      await made('mine', mine);
      await made('other', [...events]);
      await giveLog('other', 'mine');
      const world = await started('mine');
      await expectOnly(
        world,
        events.map(({ data }) => (data as { name: string }).name),
      );
      expect(world.lines.map(({ level, message }) => `${level} ${message}`)).to.have.members([
        'warn Making the audit index anew, for the event log that is here now',
        'warn Making the read models anew, for the event log that is here now',
      ]);
    });

  it('is made anew for a log that was put back, also one that has grown beyond since', async () => {
    await made('mine', mine);
    await cp(join(files.path, 'mine'), join(files.path, 'copy'), { recursive: true });
    await made('mine', mineLater);
    await giveLog('copy', 'mine');
    const world = await started('mine');
    await expectOnly(world, ['Ada', 'Bob']);
    await closed(world);
    await made('mine', mineLater);
    await made('copy', mineOtherwise);
    await giveLog('copy', 'mine');
    await expectOnly(await started('mine'), ['Ada', 'Bob', 'Gus', 'Hal']);
  });

  it('has no part in what is fed: the past of the log is not, and what follows is', async () => {
    await made('mine', mine);
    await made('other', others);
    await giveLog('other', 'mine');
    const world = await opened('mine');
    const fed = await world.fed();
    await world.projections.start();
    await world.projections.caughtUp;
    await world.append(mineLater);
    await eventually(() => fed.length > 0);
    expect(fed).to.eql(mineLater.map(({ id }) => id));
  });

  it('of a copy of the log is kept, as after a backup was restored', async () => {
    await made('mine', mine);
    await made('copy', mine, mineLater);
    await giveLog('copy', 'mine');
    const world = await started('mine');
    await expectOnly(world, ['Ada', 'Bob', 'Fay']);
    expect(world.lines).to.eql([]);
  });

  describe('in a database that others may use', () => {
    for (const [which, appends] of [
      ['of another log', [others]],
      ['and the log is empty', []],
    ] as const)
      it(`is refused and left as it is where it is ${which}`, async () => {
        await made('mine', mine);
        await made('other', ...appends);
        await giveLog('other', 'mine');
        const world = await opened('mine', { refusesOtherLogs: true });
        expect(await rejectionOf(world.follower.start())).to.be.instanceOf(MadeFromAnotherLog);
        await world.projections.start();
        const refusal = await rejectionOf(world.projections.caughtUp);
        expect(refusal).to.be.instanceOf(MadeFromAnotherLog);
        expect((refusal as Error).message).to.include(`that the read models came from, ${mine[0]?.id}`);
        expect(await world.actors()).to.eql(['Ada', 'Bob']);
        expect(await world.index.checkpoint()).to.equal(await world.views.checkpoint());
      });

    it('is made anew where it is of this log, before it was put back', async () => {
      await made('mine', mine);
      await cp(join(files.path, 'mine'), join(files.path, 'copy'), { recursive: true });
      await made('mine', mineLater);
      await giveLog('copy', 'mine');
      const world = await opened('mine', { refusesOtherLogs: true });
      await world.follower.start();
      await world.projections.start();
      await world.projections.caughtUp;
      await expectOnly(world, ['Ada', 'Bob']);
    });
  });

  describe('by a version that kept no origin', () => {
    const madeWithoutOrigin = async (position: string): Promise<void> => {
      const world = await opened('mine');
      await world.append(mine);
      const planted = { feed: 'planted', position };
      await world.views.apply({ changes: [{ put: 'feedProgress', id: 'planted', doc: planted }], position });
      await world.views.admitReaders(position);
      await closed(world);
    };

    it('is adopted where the log has an event at its checkpoint', async () => {
      await madeWithoutOrigin('0000000000000002');
      const world = await started('mine');
      expect(await world.views.get('feedProgress', 'planted')).to.not.equal(undefined);
      const position = await world.append(mineLater);
      await world.views.reached(position, 5_000);
      expect(await world.views.origin()).to.eql({
        ...{ log: mine[0]?.id, position, event: mineLater[0]?.id },
      });
    });

    it('is made anew where it has none', async () => {
      await madeWithoutOrigin('0000000000000003');
      const world = await started('mine');
      expect(await world.views.get('feedProgress', 'planted')).to.equal(undefined);
      expect(await world.actors()).to.eql(['Ada', 'Bob']);
    });
  });
});

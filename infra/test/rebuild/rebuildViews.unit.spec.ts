import { expect } from 'chai';
import { changesOf } from '@roomwire/projections/projectors';
import { createProjections } from '@roomwire/projections/projections';
import { NothingToRebuild, rebuildViews } from '@roomwire/projections/rebuildViews';
import { openEmbeddedEventLog } from '@roomwire/shared/adapters/event-log/embeddedEventLog';
import { openDataFolder, type DataFolder } from '@roomwire/shared/adapters/lmdb/dataFolder';
import { openEmbeddedMessageBus } from '@roomwire/shared/adapters/message-bus/embeddedMessageBus';
import { systemClock } from '@roomwire/shared/adapters/system/systemClock';
import { openEmbeddedViewStores } from '@roomwire/shared/adapters/view-store/embeddedViewStore';
import { createViewFold } from '@roomwire/shared/adapters/view-store/viewFold';
import { domainEventFeed } from '@roomwire/shared/wire/bus/domainEventFeed';
import { EngineUnavailable, RebuildSuperseded } from '@roomwire/shared/ports/errors';
import type { EventLog } from '@roomwire/shared/ports/eventLog';
import type { MessageBus } from '@roomwire/shared/ports/messageBus';
import type { ViewStore, ViewStores } from '@roomwire/shared/ports/viewStore';
import { eventually } from '@roomwire/testing/run/eventually';
import { noPayloads } from '@roomwire/testing/fakes/noPayloads';
import { temporaryFolder, type TemporaryFolder } from '@roomwire/testing/run/temporaryFolder';
import { verifyViews } from '../../src/audit/verifyViews.js';
import { seededHistory } from '../audit/seededHistory.js';
import { plantInViews, writeHistory } from '../support/eventLogAccess.js';
import { createRecordingLogger } from '@roomwire/testing/fakes/loggers';

const seed = 4_711;
const { events } = seededHistory(seed, 1_600);
const [written, later] = [events.slice(0, 1_000), events.slice(1_000)];

describe(`a rebuild of the read models (seed ${seed})`, () => {
  let files: TemporaryFolder;
  let folder: DataFolder;
  let log: EventLog;
  let stores: ViewStores;
  let views: ViewStore;
  let bus: MessageBus;
  let projections: ReturnType<typeof createProjections>;
  const { logger } = createRecordingLogger();

  beforeEach(async () => {
    files = await temporaryFolder();
    folder = await openDataFolder(files.path);
    log = await openEmbeddedEventLog(folder);
    stores = await openEmbeddedViewStores(folder);
    views = stores.views;
    bus = await openEmbeddedMessageBus(folder);
    await writeHistory(log, written);
    projections = createProjections({ payloads: noPayloads, log, views, bus, clock: systemClock, logger });
    await projections.start();
    await projections.caughtUp;
  });
  afterEach(async () => {
    await projections.close();
    for (const each of [bus, stores, log, folder]) await each.close();
    await files.remove();
  });

  const differences = async () =>
    (await verifyViews({ log, views, createFold: () => createViewFold(changesOf) })).differences;

  /** In the live read models alone, at the position at which they are. */
  const plant = async (): Promise<string> => {
    const room = (await views.find('rooms', { limit: 1 }))[0];
    if (room === undefined) throw new Error('The history has no room');
    await plantInViews({ log, views }, [
      { patch: 'rooms', id: room.roomId, set: { name: 'Planted' } },
      { put: 'rooms', id: 'planted', doc: { ...room, roomId: 'planted' } },
    ]);
    expect(await differences()).to.have.length(2);
    return room.roomId;
  };

  it('repairs differences, and reports every batch', async () => {
    const roomId = await plant();
    const reported: [number, string][] = [];
    const onProgress = (count: number, position: string): void => void reported.push([count, position]);
    const report = await rebuildViews({ log, views, logger, onProgress });
    expect(report).to.eql({ events: written.length, position: await log.head() });
    expect(reported.at(-1)).to.eql([report.events, report.position]);
    expect(reported.map(([count]) => count)).to.eql([500, 1_000]);
    expect(await differences()).to.eql([]);
    expect((await views.get('rooms', roomId))?.name).to.not.equal('Planted');
  });

  it('loses no concurrent write, and shows no older state to readers', async () => {
    let isOver = false;
    let reads = 0;
    // Those that later events remove are fewer.
    const fewestRooms = (await views.count('rooms', {})) / 2;
    const reading = (async () => {
      for (let highest = ''; !isOver; reads += 1) {
        const checkpoint = (await views.checkpoint()) ?? '';
        expect(checkpoint >= highest, 'a checkpoint that went back').to.equal(true);
        highest = checkpoint;
        // There are many from the beginning on; what is being built begins with none.
        expect(await views.count('rooms', {}), 'rooms').to.be.at.least(fewestRooms);
        await new Promise(setImmediate);
      }
    })();
    const writing = (async () => {
      for (const event of later) {
        await writeHistoryOn(log, event);
        expect(await views.reached((await log.head()) ?? '', 5_000)).to.equal(true);
      }
    })();
    let rebuilds = 0;
    const rebuilding = (async () => {
      for (; !isOver; rebuilds += 1) await rebuildViews({ log, views, logger });
    })();
    await writing;
    isOver = true;
    await Promise.all([reading, rebuilding]);
    expect(rebuilds).to.be.greaterThan(0);
    expect(reads).to.be.greaterThan(10);
    expect(await views.checkpoint()).to.equal(await log.head());
    expect(await differences()).to.eql([]);
  });

  it('sends no past event to the feed again', async () => {
    await rebuildViews({ log, views, logger });
    await projections.close();
    const fed: string[] = [];
    await bus.read(domainEventFeed, { interest: 'all' }, ({ id }) => void fed.push(id));
    projections = createProjections({ payloads: noPayloads, log, views, bus, clock: systemClock, logger });
    await projections.start();
    await projections.caughtUp;
    const [next] = later;
    if (next === undefined) throw new Error('The history is too short');
    await writeHistoryOn(log, next);
    await eventually(() => fed.includes(next.id));
    // At most the last batch is in doubt.
    expect(fed.length).to.be.at.most(501);
  });

  it('resumes where it was after an engine was unavailable', async () => {
    const roomId = await plant();
    let failures = 0;
    const readAll: EventLog['readAll'] = async function* (after) {
      for await (const batch of log.readAll(after)) {
        yield batch.slice(0, 200);
        if (failures++ < 3) throw new EngineUnavailable('event log');
        yield batch.slice(200);
      }
    };
    const flaky = Object.assign(Object.create(log) as EventLog, { readAll, head: () => log.head() });
    const { events: built } = await rebuildViews({ log: flaky, views, logger });
    expect([built, failures > 3]).to.eql([written.length, true]);
    expect((await views.get('rooms', roomId))?.name).to.not.equal('Planted');
    expect(await differences()).to.eql([]);
  });

  it('leaves the read models unchanged when an engine stays unavailable, when it is stopped, and when another rebuild begins', async () => {
    await plant();
    const away = Object.assign(Object.create(log) as EventLog, {
      head: () => log.head(),
      readAll: async function* () {
        yield* [];
        throw new EngineUnavailable('event log');
      },
    });
    const rejection = async (rebuild: Promise<unknown>): Promise<unknown> =>
      rebuild.then(
        () => 'nothing',
        (error: unknown) => error,
      );
    expect(await rejection(rebuildViews({ log: away, views, logger, patienceMs: 300 }))).to.be.instanceOf(
      EngineUnavailable,
    );
    const stop = new AbortController();
    const onProgress = (): void => stop.abort(new Error('Stopped'));
    const { signal } = stop;
    expect(await rejection(rebuildViews({ log, views, logger, signal, onProgress }))).to.equal(signal.reason);
    const onFirst = (): void => void views.rebuild();
    expect(await rejection(rebuildViews({ log, views, logger, onProgress: onFirst }))).to.be.instanceOf(
      RebuildSuperseded,
    );
    expect(await differences()).to.have.length(2);
  });

  it('refuses to run without read models, or with those of another log', async () => {
    await projections.close();
    await views.clear();
    const attempt = (): Promise<unknown> =>
      rebuildViews({ log, views, logger }).catch((error: unknown) => error);
    expect(await attempt()).to.be.instanceOf(NothingToRebuild);
    await views.apply({ changes: [], position: '9'.repeat(16) });
    expect(await attempt()).to.be.instanceOf(NothingToRebuild);
  });
});

/** The next event of its stream. */
const writeHistoryOn = async (
  log: EventLog,
  { stream, ...event }: (typeof events)[number],
): Promise<void> => {
  let revision: number | 'none' = 'none';
  for await (const batch of log.readStream(stream)) revision = batch.at(-1)?.revision ?? revision;
  await log.append(stream, revision, [event]);
};

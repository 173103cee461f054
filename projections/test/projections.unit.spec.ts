import { rm } from 'node:fs/promises';
import { expect } from 'chai';
import fc from 'fast-check';
import { openEmbeddedEventLog } from '@roomwire/shared/adapters/event-log/embeddedEventLog';
import { openDataFolder } from '@roomwire/shared/adapters/lmdb/dataFolder';
import { openEmbeddedMessageBus } from '@roomwire/shared/adapters/message-bus/embeddedMessageBus';
import { systemClock } from '@roomwire/shared/adapters/system/systemClock';
import { openEmbeddedViewStores } from '@roomwire/shared/adapters/view-store/embeddedViewStore';
import { domainEventFeed } from '@roomwire/shared/wire/bus/domainEventFeed';
import { evolveActor, type Actor } from '@roomwire/shared/domain/actor';
import type { HappenedEvent, NewEvent, RecordedEvent } from '@roomwire/shared/domain/eventEnvelope';
import type { DomainEvent } from '@roomwire/shared/domain/events';
import { evolveRoom, type Room } from '@roomwire/shared/domain/room';
import type { LogPosition } from '@roomwire/shared/ports/eventLog';
import type { Logger } from '@roomwire/shared/ports/logger';
import { EngineUnavailable } from '@roomwire/shared/ports/errors';
import type { MessageBus } from '@roomwire/shared/ports/messageBus';
import type { ViewBatch, ViewStore } from '@roomwire/shared/ports/viewStore';
import { collectedMetrics } from '@roomwire/testing/run/collectedMetrics';
import { eventually } from '@roomwire/testing/run/eventually';
import { noPayloads } from '@roomwire/testing/fakes/noPayloads';
import { temporaryFolder } from '@roomwire/testing/run/temporaryFolder';
import { silentLogger } from '@roomwire/testing/fakes/loggers';
import { createProjections } from '../src/projections.js';
import { histories, newEvent } from './support/history.js';

const common = { payloads: noPayloads, clock: systemClock, logger: silentLogger };

const world = async (path: string, logger: Logger = silentLogger) => {
  const folder = await openDataFolder(path);
  const log = await openEmbeddedEventLog(folder);
  const stores = await openEmbeddedViewStores(folder);
  const { views } = stores;
  const bus = await openEmbeddedMessageBus(folder);
  const projections = createProjections({ log, views, bus, ...common, logger });
  const write = async (events: readonly [NewEvent, ...NewEvent[]]): Promise<LogPosition> => {
    let revision: number | 'none' = 'none';
    for await (const batch of log.readStream('s')) revision = batch.at(-1)?.revision ?? revision;
    return (await log.append('s', revision, events)).position;
  };
  return {
    log,
    views,
    bus,
    projections,
    write,
    async append([first, ...rest]: readonly NewEvent[]) {
      if (first === undefined) return;
      expect(await views.reached(await write([first, ...rest]), 5_000)).to.equal(true);
    },
    async close() {
      await projections.close();
      for (const each of [bus, stores, log, folder]) await each.close();
    },
  };
};

describe('projections', () => {
  it('equal a fold of the same events, whatever the events', async function () {
    this.timeout(60_000);
    await fc.assert(
      fc.asyncProperty(histories, async (events) => {
        const folder = await temporaryFolder();
        const { views, projections, append, close } = await world(folder.path);
        await projections.start();
        await append(events.map(newEvent));
        const strip = ({ createdPosition: _, ...record }: { createdPosition: string }) => record;
        const rooms = (await views.find('rooms', { sort: [['roomId', 1]] })).map(strip);
        const actors = (await views.find('actors', { sort: [['actorTokenId', 1]] })).map(strip);
        expect(rooms).to.eql(folded<Room>(events, 'Room', 'roomId', evolveRoom));
        expect(actors).to.eql(folded<Actor>(events, 'Actor', 'actorTokenId', evolveActor));
        await close();
        await folder.remove();
      }),
      { seed: 7, numRuns: 30 },
    );
  });

  it('resume where they were, and feed every event once it is visible', async () => {
    const folder = await temporaryFolder();
    const events = fc.sample(histories, { seed: 3, numRuns: 10 }).flat().map(newEvent);
    const first = await world(folder.path);
    await first.projections.start();
    await first.append(events.slice(0, 20));
    await first.close();
    const second = await world(folder.path);
    const fed: { id: string; shown: boolean }[] = [];
    await second.bus.read(domainEventFeed, { interest: 'all' }, (event) => {
      void second.views.reached(event.position, 0).then((shown) => fed.push({ id: event.id, shown }));
    });
    await second.projections.start();
    await second.append(events.slice(20));
    await eventually(() => fed.at(-1)?.id === events.at(-1)?.id);
    // What the end of the first may have kept back comes again, in order, and then what is new.
    const expected = events.slice(events.length - fed.length).map(({ id }) => ({ id, shown: true }));
    expect(fed).to.eql(expected);
    expect(fed.length).to.be.at.least(events.length - 20);
    await second.close();
    await folder.remove();
  });

  it('start again from the beginning when the log ends before their checkpoint, as after a restore', async () => {
    const old = await temporaryFolder();
    const first = await world(old.path);
    await first.projections.start();
    await first.append(fc.sample(histories, { seed: 5, numRuns: 5 }).flat().map(newEvent));
    await first.close();
    for (const file of ['events.lmdb', 'events.lmdb-lock']) await rm(`${old.path}/${file}`);
    const second = await world(old.path);
    await second.projections.start();
    await second.projections.caughtUp;
    expect(await second.views.count('rooms', {})).to.equal(0);
    expect(await second.views.checkpoint()).to.equal(undefined);
    await second.close();
    await old.remove();
  });

  it('lose no event of the feed to a crash between writing and feeding', async () => {
    const folder = await temporaryFolder();
    const { log, views, bus, append, close } = await world(folder.path);
    const events = fc.sample(histories, { seed: 11, numRuns: 4 }).flat().map(newEvent);
    let cutOff: (error: Error) => void = () => undefined;
    const stuck = new Promise<void>((_resolve, reject) => (cutOff = reject));
    stuck.catch(() => undefined);
    const cut = Object.assign(Object.create(bus) as MessageBus, {
      send: () => stuck,
      read: bus.read.bind(bus),
    });
    const first = createProjections({ log, views, bus: cut, ...common });
    await first.start();
    await append(events);
    // As good as killed: it waits for a feed that never answers.
    const fed: string[] = [];
    await bus.read(domainEventFeed, { interest: 'all' }, (event) => void fed.push(event.id));
    const second = createProjections({ log, views, bus, ...common });
    await second.start();
    await eventually(() => fed.length >= events.length);
    expect(fed).to.eql(events.map(({ id }) => id));
    await second.close();
    const closed = first.close();
    cutOff(new EngineUnavailable('message bus'));
    await closed;
    await close();
    await folder.remove();
  });

  it('feed what a crash has kept back only once the read models hold what the log holds by then', async () => {
    const folder = await temporaryFolder();
    const events = fc.sample(histories, { seed: 11, numRuns: 4 }).flat().map(newEvent);
    const { log, views, bus, write, append, close } = await world(folder.path);
    const cut = Object.assign(Object.create(bus) as MessageBus, {
      send: () => Promise.reject(new EngineUnavailable('message bus')),
      read: bus.read.bind(bus),
    });
    const crashing = createProjections({ log, views, bus: cut, ...common });
    await crashing.start();
    await append(events.slice(0, -1));
    await crashing.close();
    const position = await write([events.at(-1) as NewEvent]);
    expect(await views.reached(position, 0)).to.equal(false);

    const fed: { readonly id: string; readonly showsAll: boolean }[] = [];
    const watched = Object.assign(Object.create(bus) as MessageBus, {
      async send(channel: unknown, { id }: RecordedEvent) {
        if (channel !== domainEventFeed) return;
        fed.push({ id, showsAll: await views.reached(position, 0) });
      },
    });
    const resuming = createProjections({ log, views, bus: watched, ...common });
    await resuming.start();
    await eventually(() => fed.length >= events.length);
    expect(fed).to.eql(events.map(({ id }) => ({ id, showsAll: true })));
    const counted = async () =>
      (await collectedMetrics(resuming.collect)).get('roomwire_projected_events_total');
    await eventually(async () => (await counted()) === 1);
    await resuming.close();
    await close();
    await folder.remove();
  });

  it('feed nothing of the past again when the read models were lost, and everything after it', async () => {
    const folder = await temporaryFolder();
    const events = fc.sample(histories, { seed: 3, numRuns: 10 }).flat().map(newEvent);
    const first = await world(folder.path);
    await first.projections.start();
    await first.append(events.slice(0, 20));
    await first.close();
    for (const file of ['views.lmdb', 'views.lmdb-lock']) await rm(`${folder.path}/${file}`, { force: true });
    const second = await world(folder.path);
    const fed: string[] = [];
    await second.bus.read(domainEventFeed, { interest: 'all' }, (event) => void fed.push(event.id));
    const early = await second.views.count('rooms', {}).catch((error: unknown) => error);
    expect(early).to.be.instanceOf(EngineUnavailable);
    await second.projections.start();
    await second.projections.caughtUp;
    expect(await second.views.admitsReaders()).to.equal(true);
    await second.append(events.slice(20));
    await eventually(() => fed.at(-1) === events.at(-1)?.id);
    expect(fed).to.eql(events.slice(20).map(({ id }) => id));
    await second.close();
    await folder.remove();
  });

  it('fill read models again that are lost while the log is quiet', async () => {
    const folder = await temporaryFolder();
    const { log, views, bus, append, close } = await world(folder.path);
    const options = { takeOverAfterMs: 20 };
    const projections = createProjections({
      ...{ payloads: noPayloads, log, views, bus, clock: systemClock, logger: silentLogger, options },
    });
    const fed: string[] = [];
    await bus.read(domainEventFeed, { interest: 'all' }, (event) => void fed.push(event.id));
    await projections.start();
    await append([newEvent(actorCreated, 1)]);
    await eventually(() => fed.length === 1);
    await views.clear();
    await eventually(() => views.admitsReaders());
    expect(await views.count('actors', {})).to.equal(1);
    expect(fed).to.have.length(1);
    await projections.close();
    await close();
    await folder.remove();
  });

  it('retry when an engine fails, and skip nothing', async () => {
    const folder = await temporaryFolder();
    const { log, views, bus, append, close } = await world(folder.path);
    let failures = 3;
    const flaky = Object.assign(Object.create(views) as ViewStore, {
      ...viewMethods(views),
      apply: (batch: ViewBatch) =>
        failures-- > 0 ? Promise.reject(new EngineUnavailable('read models')) : views.apply(batch),
    });
    const projections = createProjections({
      payloads: noPayloads,
      log,
      views: flaky,
      bus,
      clock: systemClock,
      logger: silentLogger,
    });
    await projections.start();
    await append([newEvent(actorCreated, 1)]);
    expect(await views.count('actors', {})).to.equal(1);
    await projections.close();
    await close();
    await folder.remove();
  });

  it('are led by one of two instances, and by the other when it ends', async () => {
    const folder = await temporaryFolder();
    const { log, views, bus, append, close } = await world(folder.path);
    const instances = [1, 2].map(() =>
      createProjections({
        payloads: noPayloads,
        log,
        views,
        bus,
        clock: systemClock,
        logger: silentLogger,
        options: { takeOverAfterMs: 100 },
      }),
    );
    for (const instance of instances) await instance.start();
    const events = fc.sample(histories, { seed: 13, numRuns: 6 }).flat().map(newEvent);
    await append(events.slice(0, 50));
    await instances[0]?.close();
    await append(events.slice(50, 100));
    const third = createProjections({
      payloads: noPayloads,
      log,
      views,
      bus,
      clock: systemClock,
      logger: silentLogger,
      options: { takeOverAfterMs: 100 },
    });
    await third.start();
    await instances[1]?.close();
    await append(events.slice(100));
    const after = events.map(({ type, data }) => ({ type, data }) as DomainEvent);
    const strip = ({ createdPosition: _, ...record }: { createdPosition: string }) => record;
    expect((await views.find('rooms', { sort: [['roomId', 1]] })).map(strip)).to.eql(
      folded<Room>(after, 'Room', 'roomId', evolveRoom),
    );
    await third.close();
    await close();
    await folder.remove();
  });

  it('feed an event that the bus refuses without its data, and continue', async () => {
    const folder = await temporaryFolder();
    const { log, views, bus, append, close } = await world(folder.path);
    const bounded = Object.assign(Object.create(bus) as MessageBus, {
      send: (...args: Parameters<MessageBus['send']>) =>
        JSON.stringify(args[1]).length > 2_000_000
          ? Promise.reject(new RangeError('too large'))
          : bus.send(...args),
    });
    const fed: RecordedEvent[] = [];
    await bus.read(domainEventFeed, { interest: 'all' }, (event) => void fed.push(event));
    const projections = createProjections({
      payloads: noPayloads,
      log,
      views,
      bus: bounded,
      clock: systemClock,
      logger: silentLogger,
    });
    await projections.start();
    const metadata = { numbers: Array.from({ length: 1_500_000 }, () => 1) };
    const large = newEvent({ ...actorCreated, data: { ...actorCreated.data, metadata } } as DomainEvent, 1);
    const next = newEvent(
      { ...actorCreated, data: { ...actorCreated.data, actorTokenId: '2' } } as DomainEvent,
      2,
    );
    await append([large]);
    await append([next]);
    await eventually(() => fed.length === 2);
    const rest = { ...(large.data as Record<string, unknown>) };
    delete rest['metadata'];
    expect(fed.map(({ id, data }) => ({ id, data }))).to.eql([
      { id: large.id, data: rest },
      { id: next.id, data: next.data },
    ]);
    expect((await views.get('actors', '1'))?.metadata)
      .to.have.property('numbers')
      .with.lengthOf(1_500_000);
    await projections.close();
    await close();
    await folder.remove();
  });
});

describe('the mark of the feed', () => {
  it('does not cover a batch that a crash kept back while the next one was written', async () => {
    const folder = await temporaryFolder();
    const { log, views, bus, append, close } = await world(folder.path);
    let cutOff: (error: Error) => void = () => undefined;
    const stuck = new Promise<void>((_resolve, reject) => (cutOff = reject));
    stuck.catch(() => undefined);
    const over = (port: MessageBus) =>
      createProjections({
        payloads: noPayloads,
        log,
        views,
        bus: port,
        clock: systemClock,
        logger: silentLogger,
      });
    const first = over(Object.assign(Object.create(bus) as MessageBus, { send: () => stuck }));
    await first.start();
    const events = [1, 2].map((index) => newEvent(actorCreated, index));
    // The second is written while the feed of the first hangs.
    for (const event of events) await append([event]);
    const fed: string[] = [];
    await bus.read(domainEventFeed, { interest: 'all' }, (event) => void fed.push(event.id));
    const second = over(bus);
    await second.start();
    await eventually(() => fed.includes(events[1]?.id ?? ''));
    expect(fed).to.eql(events.map(({ id }) => id));
    await second.close();
    const closed = first.close();
    cutOff(new EngineUnavailable('message bus'));
    await closed;
    await close();
    await folder.remove();
  });
});

const viewMethods = (views: ViewStore): Partial<ViewStore> => ({
  get: views.get.bind(views),
  find: views.find.bind(views),
  sweep: views.sweep.bind(views),
  checkpoint: views.checkpoint.bind(views),
  origin: views.origin.bind(views),
  admitsReaders: views.admitsReaders.bind(views),
  admitReaders: views.admitReaders.bind(views),
  clear: views.clear.bind(views),
});

const actorCreated: DomainEvent = {
  type: 'ActorCreated',
  data: {
    actorTokenId: '1',
    projectId: 'p',
    accessScopeId: null,
    scopeMembershipId: null,
    keyId: 'at_live_1',
    name: 'Ada',
    actorType: 'user',
    expiresAt: null,
    metadata: null,
    secretHash: '00',
  },
};

const folded = <Record>(
  events: readonly DomainEvent[],
  prefix: string,
  idField: string,
  evolve: (record: Record | undefined, event: never) => Record | undefined,
): Record[] => {
  const records = new Map<string, Record>();
  events.map(newEvent).forEach(({ type, data, metadata }) => {
    if (!type.startsWith(prefix)) return;
    const id = (data as { [field: string]: string })[idField] ?? '';
    const happened = { type, data, occurredAt: metadata.occurredAt } as HappenedEvent<DomainEvent>;
    const after = evolve(records.get(id), happened as never);
    if (after === undefined) records.delete(id);
    else records.set(id, after);
  });
  return [...records].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, record]) => record);
};

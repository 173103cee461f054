import { expect } from 'chai';
import { Rejection } from '@roomwire/command-api/handling/rejections';
import { EngineUnavailable, RevisionConflict } from '@roomwire/shared/ports/errors';
import type { EventLog } from '@roomwire/shared/ports/eventLog';
import { appsStream } from '@roomwire/shared/domain/app';
import { roomsStream } from '@roomwire/shared/domain/room';
import { blueprintWorld, type BlueprintWorld } from './blueprintWorld.js';

type Append = EventLog['append'];

/** The log, with another append in its place. */
const withAppend = (log: EventLog, append: Append): EventLog =>
  new Proxy(log, {
    get(target, name) {
      if (name === 'append') return append;
      const value: unknown = Reflect.get(target, name);
      return typeof value === 'function' ? (value.bind(target) as unknown) : value;
    },
  });

const failing = (log: EventLog, prefix: string, fail: Append): EventLog =>
  withAppend(log, (stream, ...rest) =>
    stream.startsWith(prefix) ? fail(stream, ...rest) : log.append(stream, ...rest),
  );

const unavailable = (): never => {
  throw new EngineUnavailable('event log', { cause: new Error('gone') });
};

const rejection = async (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => expect.fail('must reject'),
    (error: unknown) => error,
  );

const eventTypes = async (log: EventLog): Promise<string[]> => {
  const types: string[] = [];
  for await (const batch of log.readAll()) types.push(...batch.map(({ type }) => type));
  return types;
};

describe('an app and its static rooms, in two streams', () => {
  let world: BlueprintWorld;

  const start = async (maxApps: number | null = null): Promise<void> =>
    void (world = await blueprintWorld(maxApps, ['lobby', 'hall', 'yard']));
  afterEach(() => world.close());

  it('leave no room without its app, and no app above the limit, when twenty are created concurrently', async () => {
    await start(5);
    const { createApp } = world.process();
    const made = await Promise.allSettled(Array.from({ length: 20 }, () => createApp()));

    const refused = made.flatMap((each) => (each.status === 'rejected' ? [each.reason as unknown] : []));
    expect(refused).to.have.length(15);
    for (const error of refused)
      expect(error).to.be.instanceOf(Rejection).with.property('code', 'app_limit_reached');
    const apps = await world.apps();
    expect(apps).to.have.length(5);
    for (const { appId } of apps) expect(await world.rooms(appId)).to.have.length(3);
    expect(await world.rooms()).to.have.length(15);
    // Else nothing was at the same time, and this has shown nothing.
    expect(await eventTypes(world.log)).to.include('RoomDeleted');
  });

  it('write no room for an app that the plan does not allow', async () => {
    await start(0);
    await rejection(world.process().createApp());
    expect(await eventTypes(world.log)).not.to.include('RoomCreated');
  });

  it('remove the rooms when other processes win every attempt', async () => {
    await start();
    const lost = failing(world.log, appsStream(''), async (stream) => {
      throw new RevisionConflict(stream);
    });
    expect(await rejection(world.process(lost).createApp())).to.be.instanceOf(RevisionConflict);
    expect(await eventTypes(world.log)).to.include('RoomCreated');
    expect(await world.rooms()).to.eql([]);
  });

  it('keep the rooms of an app when it is unknown whether the app was created', async () => {
    await start();
    const silent = failing(world.log, appsStream(''), async (...append) => {
      await world.log.append(...append);
      return unavailable();
    });
    expect(await rejection(world.process(silent).createApp())).to.be.instanceOf(EngineUnavailable);
    const [app] = await world.apps();
    expect(await world.rooms(app?.appId)).to.have.length(3);
  });

  it('never show an app without its rooms, wherever the process ends', async () => {
    await start();
    for (const stream of [roomsStream(''), appsStream('')]) {
      const dying = world.process(failing(world.log, stream, async () => unavailable()));
      expect(await rejection(dying.createApp())).to.be.instanceOf(EngineUnavailable);
      expect(await world.apps()).to.eql([]);
    }
  });

  it('are reset by the next process when one ends half-way, and the version shows it', async () => {
    await start();
    const { appId } = await world.process().createApp();
    await world.addVersion('2.0.0', ['hall', 'garden'], ['news']);

    for (const stream of [roomsStream(''), appsStream('')]) {
      const dying = world.process(failing(world.log, stream, async () => unavailable()));
      expect(await rejection(dying.resetApp(appId))).to.be.instanceOf(EngineUnavailable);
      expect((await world.apps())[0]).to.deep.include({ blueprintVersion: '1.0.0', topics: ['chat'] });
    }

    await world.process().resetApp(appId);
    expect((await world.apps())[0]).to.deep.include({ blueprintVersion: '2.0.0', topics: ['news'] });
    const rooms = await world.rooms(appId);
    expect(rooms.map(({ slug }) => slug)).to.have.members(['hall', 'garden']);
    for (const { topics } of rooms) expect(topics).to.eql(['news']);
  });

  it('fit the append limit of any log, however large the blueprint is', async function () {
    this.timeout(60_000);
    await start();
    await world.addVersion(
      '2.0.0',
      Array.from({ length: 4000 }, (_, index) => `room-${index}`),
    );
    const sizes: number[] = [];
    const measured = withAppend(world.log, (stream, expected, events) => {
      sizes.push(JSON.stringify(events).length);
      return world.log.append(stream, expected, events);
    });
    const { appId } = await world.process(measured).createApp();
    expect(await world.rooms(appId)).to.have.length(4000);
    expect(Math.max(...sizes)).to.be.lessThan(1024 * 1024);
    expect(sizes.length).to.be.greaterThan(3);
  });
});

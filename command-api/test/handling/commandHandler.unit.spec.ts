import { expect } from 'chai';
import { openEmbeddedEventLog } from '@roomwire/shared/adapters/event-log/embeddedEventLog';
import { openDataFolder } from '@roomwire/shared/adapters/lmdb/dataFolder';
import { systemRandom } from '@roomwire/shared/adapters/system/systemRandom';
import { openEmbeddedViewStores } from '@roomwire/shared/adapters/view-store/embeddedViewStore';
import type { NewEvent, RecordedEvent } from '@roomwire/shared/domain/eventEnvelope';
import { AppendTooLarge, EngineUnavailable } from '@roomwire/shared/ports/errors';
import type { EventLog } from '@roomwire/shared/ports/eventLog';
import type { ViewReader } from '@roomwire/shared/ports/viewStore';
import { busyFor } from '@roomwire/testing/run/busyFor';
import { eventually } from '@roomwire/testing/run/eventually';
import { longestTurn } from '@roomwire/testing/run/longestTurn';
import { temporaryFolder } from '@roomwire/testing/run/temporaryFolder';
import { silentLogger } from '@roomwire/testing/fakes/loggers';
import { createCommandHandler, type CommandHandler } from '../../src/handling/commandHandler.js';
import { Rejection } from '../../src/handling/rejections.js';
import type { WriterCacheBounds } from '../../src/handling/writerCache.js';
import type { RoomsState } from '../../src/rooms/decider.js';
import { unwritten } from '../../src/handling/writeModel.js';
import { roomsTarget } from '../../src/rooms/decider.js';

const appId = 'a1';
const context = {
  occurredAt: '2026-01-01T00:00:00.000Z',
  organizationId: 'o1',
  projectId: 'p1',
  principal: 'apiKey:ak_live_1',
  requestId: 'r1',
};

describe('the command handler', () => {
  let close: () => Promise<void>;
  let log: EventLog;
  let handlerOn: (over: EventLog, mostCached?: WriterCacheBounds) => CommandHandler;

  beforeEach(async () => {
    const folder = await temporaryFolder();
    const data = await openDataFolder(folder.path);
    log = await openEmbeddedEventLog(data);
    const stores = await openEmbeddedViewStores(data);
    const { views } = stores;
    await views.admitReaders(undefined);
    // Read models that show nothing, and are never behind.
    const subscription = log.subscribeAll(undefined, {
      onEvents: (events) => views.apply({ changes: [], position: (events.at(-1) as RecordedEvent).position }),
    });
    handlerOn = (over, mostCached) =>
      createCommandHandler({
        ...{ log: over, views, random: systemRandom, logger: silentLogger },
        ...(mostCached && { mostCached }),
      });
    close = async () => {
      await subscription.close();
      for (const each of [stores, log, data]) await each.close();
      await folder.remove();
    };
  });
  afterEach(() => close());

  const createRoom = (app: string, roomId: string, name = roomId, slug = roomId) => ({
    type: 'CreateRoom' as const,
    room: {
      roomId,
      appId: app,
      projectId: 'p1',
      name,
      slug,
      description: null,
      topics: [],
      metadata: {},
      origin: 'api' as const,
    },
  });
  const create = (handler: CommandHandler, roomId: string, slug = roomId) =>
    handler.execute(
      roomsTarget(appId),
      createRoom(appId, roomId, roomId, slug),
      context,
      (state) => state.byId.get(roomId)?.name,
    );
  const rename = (handler: CommandHandler, roomId: string, name: string) =>
    handler.execute(
      roomsTarget(appId),
      { type: 'UpdateRoom', appId, roomId, changes: { name } },
      context,
      (state) => state.byId.get(roomId)?.name,
    );
  it('lets the event loop run between decisions that take long', async () => {
    const handler = handlerOn(log);
    const compare = () => handler.inspect(roomsTarget(appId), () => busyFor(10));
    const { longestMs } = await longestTurn(() =>
      // They wait for the append of the first one, and are decided as one batch.
      Promise.all([create(handler, 'r1'), ...Array.from({ length: 30 }, compare)]),
    );
    expect(longestMs).to.be.below(150);
  });

  const names = (handler: CommandHandler) =>
    handler.inspect(roomsTarget(appId), (state: RoomsState) =>
      [...state.byId.values()].map(({ name }) => name),
    );
  const recorded = async (): Promise<RecordedEvent[]> => {
    const events: RecordedEvent[] = [];
    for await (const batch of log.readAll()) events.push(...batch);
    return events;
  };
  const codeOf = (promise: Promise<unknown>) =>
    promise.then(
      () => 'done',
      (error: unknown) => (error instanceof Rejection ? (error as Rejection).code : error),
    );

  it('writes who asked, when, for whom and for which request', async () => {
    await create(handlerOn(log), 'r1');
    const [event] = await recorded();
    expect(event).to.deep.include({ type: 'RoomCreated', schemaVersion: 1, revision: 0, metadata: context });
  });

  describe('whose read models are behind', () => {
    let reached: (isShown: boolean) => void;
    let waits: { readonly position: string; readonly waitMs: number }[];
    let expired: number;
    let warnings: unknown[];

    /** Its answer, and whether there is one yet. */
    const answered = async (): Promise<{ readonly answer: Promise<unknown>; isThere: boolean }> => {
      const shown = new Promise<boolean>((resolve) => (reached = resolve));
      const views = {
        reached: (position: string, waitMs: number) => {
          waits.push({ position, waitMs });
          return shown;
        },
      } as unknown as ViewReader;
      const logger = { ...silentLogger, warn: (_: string, fields: unknown) => void warnings.push(fields) };
      const handler = createCommandHandler({
        ...{ log, views, random: systemRandom, logger },
        onWaitExpired: () => void expired++,
      });
      const answer = create(handler, 'r1');
      const result = { answer, isThere: false };
      void answer.then(() => (result.isThere = true));
      await eventually(() => waits.length > 0);
      await new Promise(setImmediate);
      return result;
    };

    beforeEach(() => void ([waits, warnings, expired] = [[], [], 0]));

    it('answers when they show the write', async () => {
      const result = await answered();
      expect(result.isThere).to.equal(false);
      const [event] = await recorded();
      expect(waits).to.eql([{ position: event?.position, waitMs: 2_000 }]);
      reached(true);
      expect(await result.answer).to.equal('r1');
      expect([expired, warnings]).to.eql([0, []]);
    });

    it('answers when it has waited long enough too, and says so', async () => {
      const result = await answered();
      reached(false);
      expect(await result.answer).to.equal('r1');
      const [event] = await recorded();
      expect([expired, warnings]).to.eql([1, [{ requestId: 'r1', position: event?.position }]]);
    });
  });

  it('answers each command with the state after it, even when others follow in the same append', async () => {
    const handler = handlerOn(log);
    await create(handler, 'r1');
    const answers = await Promise.all(
      Array.from({ length: 30 }, (_, index) => rename(handler, 'r1', `n${index}`)),
    );
    expect(answers).to.eql(Array.from({ length: 30 }, (_, index) => `n${index}`));
    expect(await names(handler)).to.eql(['n29']);
  });

  it('rejects a command that is too large for the log, but none of the same batch', async () => {
    const bounded: EventLog = Object.assign(Object.create(log) as EventLog, {
      append: (...args: [string, number | 'none', readonly [NewEvent, ...NewEvent[]]]) =>
        JSON.stringify(args[2]).length > 50_000 ? Promise.reject(new AppendTooLarge()) : log.append(...args),
      readStream: (...args: [string, number?]) => log.readStream(...args),
    });
    const handler = handlerOn(bounded);
    await create(handler, 'r1');
    const outcomes = await Promise.all([
      ...['n1', 'n2'].map((name) => codeOf(rename(handler, 'r1', name))),
      codeOf(rename(handler, 'r1', 'x'.repeat(60_000))),
      ...['n3', 'n4'].map((name) => codeOf(rename(handler, 'r1', name))),
    ]);
    expect(outcomes.map((outcome) => (outcome instanceof AppendTooLarge ? 'too large' : outcome))).to.eql([
      'done',
      'done',
      'too large',
      'done',
      'done',
    ]);
    expect(await names(handler)).to.eql(['n4']);
    expect(await names(handlerOn(log))).to.eql(['n4']);
    expect((await recorded()).map(({ type }) => type)).to.have.length(5);
  });

  it('splits batches that are too large for one append, and keeps the order', async () => {
    const sizes: number[] = [];
    const watched: EventLog = Object.assign(Object.create(log) as EventLog, {
      append: (...args: [string, number | 'none', readonly [NewEvent, ...NewEvent[]]]) => {
        sizes.push(JSON.stringify(args[2].map(({ data }) => data)).length);
        return log.append(...args);
      },
      readStream: (...args: [string, number?]) => log.readStream(...args),
    });
    const handler = handlerOn(watched);
    await create(handler, 'r1');
    const large = (index: number) => `${index} ${'x'.repeat(100_000)}`;
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, index) => rename(handler, 'r1', large(index))),
    );
    expect(answers).to.eql(Array.from({ length: 20 }, (_, index) => large(index)));
    expect(Math.max(...sizes)).to.be.below(512 * 1024);
    expect(sizes.length).to.be.below(20);
    expect(await recorded()).to.have.length(21);
  });

  it('rejects some commands of a batch and carries out the others', async () => {
    const handler = handlerOn(log);
    const results = await Promise.all([
      codeOf(create(handler, 'r1', 'same')),
      codeOf(create(handler, 'r2', 'same')),
      codeOf(create(handler, 'r3')),
    ]);
    expect(results).to.eql(['done', 'room_slug_taken', 'done']);
    expect(await recorded()).to.have.length(2);
  });

  it('decides again after a conflict with another process', async () => {
    const handlers = [handlerOn(log), handlerOn(log), handlerOn(log)];
    const results = await Promise.all(
      Array.from({ length: 60 }, (_, index) =>
        codeOf(create(handlers[index % 3] as CommandHandler, `r${index}`, `slug-${index % 20}`)),
      ),
    );
    expect(results.filter((result) => result === 'done')).to.have.length(20);
    expect(results.filter((result) => result === 'room_slug_taken')).to.have.length(40);
    expect(await recorded()).to.have.length(20);
  });

  it('reads what is new after a conflict, not the stream from its beginning', async () => {
    const reads: number[] = [];
    let beforeAppend: (() => Promise<unknown>) | undefined;
    const watched: EventLog = Object.assign(Object.create(log) as EventLog, {
      readStream(stream: string, from = 0) {
        reads.push(from);
        return log.readStream(stream, from);
      },
      async append(...args: Parameters<EventLog['append']>) {
        const meanwhile = beforeAppend;
        beforeAppend = undefined;
        await meanwhile?.();
        return log.append(...args);
      },
    });
    const [handler, other] = [handlerOn(watched), handlerOn(log)];
    await Promise.all(Array.from({ length: 50 }, (_, index) => create(other, `old-${index}`)));
    await create(handler, 'r0');
    reads.length = 0;
    for (let round = 1; round <= 20; round += 1) {
      beforeAppend = () => create(other, `theirs-${round}`);
      await create(handler, `r${round}`);
    }
    // The first time it does not look before: nobody else had written.
    expect(reads).to.have.length(1 + 2 * 19);
    expect(Math.min(...reads)).to.be.at.least(51);
    expect(await recorded()).to.have.length(50 + 1 + 2 * 20);
  });

  it('reads nothing before the first command on a stream that nobody can have written', async () => {
    const reads: number[] = [];
    const watched: EventLog = Object.assign(Object.create(log) as EventLog, {
      append: (...args: Parameters<EventLog['append']>) => log.append(...args),
      readStream(stream: string, from = 0) {
        reads.push(from);
        return log.readStream(stream, from);
      },
    });
    const first = (handler: CommandHandler, roomId: string) =>
      handler.execute(unwritten(roomsTarget(appId)), createRoom(appId, roomId), context);
    await first(handlerOn(watched), 'r1');
    expect(reads).to.eql([]);
    // Whoever was wrong about that decides again on what is there.
    expect(await codeOf(first(handlerOn(watched), 'r1'))).to.equal('room_slug_taken');
    expect(await codeOf(first(handlerOn(watched), 'r2'))).to.equal('done');
    expect(await names(handlerOn(log))).to.eql(['r1', 'r2']);
  });

  it('reads nothing before a command on a stream that only it has written since, unless nothing is appended', async () => {
    const reads: number[] = [];
    const watched: EventLog = Object.assign(Object.create(log) as EventLog, {
      append: (...args: Parameters<EventLog['append']>) => log.append(...args),
      readStream(stream: string, from = 0) {
        reads.push(from);
        return log.readStream(stream, from);
      },
    });
    const [handler, other] = [handlerOn(watched), handlerOn(log)];
    for (const room of ['r0', 'r1', 'r2']) await create(handler, room);
    expect(reads).to.eql([0]);
    await create(other, 'theirs');
    // What is not there as far as is known may be there by now; what is there may be gone.
    expect(await codeOf(rename(handler, 'theirs', 'ours'))).to.equal('done');
    await other.execute(roomsTarget(appId), { type: 'DeleteRoom', appId, roomId: 'r2' }, context);
    expect(await codeOf(create(handler, 'r3', 'r2'))).to.equal('done');
    expect(await codeOf(rename(handler, 'r2', 'again'))).to.equal('room_not_found');
    expect(await names(handler)).to.have.members(['r0', 'r1', 'ours', 'r3']);
    expect(await names(handler)).to.have.members(await names(handlerOn(log)));
  });

  it('keeps the states that were used last, as far as their bound allows', async () => {
    const reads: string[] = [];
    const watched: EventLog = Object.assign(Object.create(log) as EventLog, {
      readStream(stream: string, from = 0) {
        reads.push(`${stream} from ${from}`);
        return log.readStream(stream, from);
      },
    });
    const handler = handlerOn(watched, { streams: 3, bytes: 20_000 });
    const create = (app: string, roomId: string, nameLength = 10) =>
      handler.execute(roomsTarget(app), createRoom(app, roomId, 'n'.repeat(nameLength)), context);
    for (const app of ['a1', 'a2', 'a3']) await create(app, 'r1');
    await create('a1', 'r2', 30_000);
    reads.length = 0;
    await create('a1', 'r3');
    await create('a2', 'r3');
    await create('a1', 'r4');
    const [a1, a2] = ['a1', 'a2'].map((app) => roomsTarget(app).stream);
    expect(reads).to.eql([`${a2} from 0`, `${a1} from 0`]);
  });

  it('reads what is new after a conflict of many commands that were decided together, too', async () => {
    const reads: number[] = [];
    let beforeAppend: (() => Promise<unknown>) | undefined;
    const watched: EventLog = Object.assign(Object.create(log) as EventLog, {
      readStream(stream: string, from = 0) {
        reads.push(from);
        return log.readStream(stream, from);
      },
      async append(...args: Parameters<EventLog['append']>) {
        const meanwhile = args[2].length > 1 ? beforeAppend : undefined;
        if (meanwhile) beforeAppend = undefined;
        await meanwhile?.();
        return log.append(...args);
      },
    });
    const [handler, other] = [handlerOn(watched), handlerOn(log)];
    await create(handler, 'r0');
    reads.length = 0;
    beforeAppend = () => create(other, 'theirs', 's3');
    const results = await Promise.all(
      Array.from({ length: 10 }, (_, index) => codeOf(create(handler, `r${index + 1}`, `s${index}`))),
    );
    expect(results).to.eql(results.map((_, index) => (index === 3 ? 'room_slug_taken' : 'done')));
    expect(reads).to.eql([2]);
    expect(await names(handler)).to.have.members(await names(handlerOn(log)));
    expect(await recorded()).to.have.length(11);
  });

  it('decides many commands together while another process writes the stream, too', async () => {
    const sizes: number[] = [];
    const contested: EventLog = Object.assign(Object.create(log) as EventLog, {
      async append(...args: Parameters<EventLog['append']>) {
        sizes.push(args[2].length);
        // The other one is faster every other time.
        if (sizes.length % 2 === 0) await create(other, `theirs-${sizes.length}`);
        return log.append(...args);
      },
      readStream: (...args: [string, number?]) => log.readStream(...args),
    });
    const [handler, other] = [handlerOn(contested), handlerOn(log)];
    await Promise.all(Array.from({ length: 500 }, (_, index) => create(handler, `r${index}`)));
    expect(sizes.length).to.be.below(20);
    expect((await recorded()).length).to.equal(500 + Math.floor(sizes.length / 2));
  });

  it('does not read a stream again because of a command that is too large', async () => {
    const reads: number[] = [];
    const bounded: EventLog = Object.assign(Object.create(log) as EventLog, {
      append: (...args: [string, number | 'none', readonly [NewEvent, ...NewEvent[]]]) =>
        JSON.stringify(args[2]).length > 50_000 ? Promise.reject(new AppendTooLarge()) : log.append(...args),
      readStream(stream: string, from = 0) {
        reads.push(from);
        return log.readStream(stream, from);
      },
    });
    const handler = handlerOn(bounded);
    for (let index = 0; index < 5; index += 1) await create(handler, `r${index}`);
    reads.length = 0;
    expect(await codeOf(rename(handler, 'r1', 'x'.repeat(60_000)))).to.be.instanceOf(AppendTooLarge);
    await Promise.all(['a', 'x'.repeat(60_000), 'b'].map((name) => codeOf(rename(handler, 'r2', name))));
    expect(reads).to.eql([]);
    expect(await names(handler)).to.have.members(['r0', 'r1', 'b', 'r3', 'r4']);
  });

  it('gives up none of many commands on one stream that two processes write side by side', async () => {
    const handlers = [handlerOn(log), handlerOn(log)];
    const results = await Promise.all(
      Array.from({ length: 600 }, (_, index) =>
        codeOf(create(handlers[index % 2] as CommandHandler, `r${index}`)),
      ),
    );
    expect(new Set(results)).to.eql(new Set(['done']));
    expect(await recorded()).to.have.length(600);
  });

  it('discards decided events when the append fails, and continues afterwards', async () => {
    let fails = true;
    const flaky: EventLog = Object.assign(Object.create(log) as EventLog, {
      append: (...args: [string, number | 'none', readonly [NewEvent, ...NewEvent[]]]) =>
        fails ? Promise.reject(new EngineUnavailable('event log')) : log.append(...args),
      readStream: (...args: [string, number?]) => log.readStream(...args),
    });
    const handler = handlerOn(flaky);
    expect(await codeOf(create(handler, 'r1'))).to.be.instanceOf(EngineUnavailable);
    fails = false;
    expect(await names(handler)).to.eql([]);
    expect(await codeOf(create(handler, 'r1'))).to.equal('done');
    expect(await names(handler)).to.eql(['r1']);
  });
});

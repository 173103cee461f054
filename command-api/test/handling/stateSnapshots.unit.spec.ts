import { join } from 'node:path';
import { expect } from 'chai';
import { openEmbeddedSnapshotStore } from '@roomwire/shared/adapters/snapshot-store/embeddedSnapshotStore';
import { systemRandom } from '@roomwire/shared/adapters/system/systemRandom';
import { EngineUnavailable } from '@roomwire/shared/ports/errors';
import type { EventLog } from '@roomwire/shared/ports/eventLog';
import type { SnapshotStore } from '@roomwire/shared/ports/snapshotStore';
import type { ViewReader } from '@roomwire/shared/ports/viewStore';
import { createRecordingLogger, type RecordedLine } from '@roomwire/testing/fakes/loggers';
import { eventually } from '@roomwire/testing/run/eventually';
import { temporaryFolder } from '@roomwire/testing/run/temporaryFolder';
import { createCommandHandler, type CommandHandler } from '../../src/handling/commandHandler.js';
import { Rejection } from '../../src/handling/rejections.js';
import { StateSnapshots } from '../../src/handling/stateSnapshots.js';
import { roomsTarget } from '../../src/rooms/decider.js';
import { openTemporaryLog } from '../support/temporaryLog.js';

const { stream, decider } = roomsTarget('a1');
const context = {
  occurredAt: '2026-01-01T00:00:00.000Z',
  organizationId: 'o1',
  projectId: 'p1',
  principal: 'apiKey:ak_live_1',
  requestId: 'r1',
};
const views = { reached: async () => true } as unknown as ViewReader;
const room = (slug: string, roomId: string = slug, text = '') => ({
  ...{ roomId, appId: 'a1', projectId: 'p1', name: slug, slug, description: text, topics: [] },
  ...{ metadata: {}, origin: 'api' as const },
});
/** Ten rooms of this weigh as much as makes a snapshot due. */
const large = 'x'.repeat(220_000);

describe('snapshots of states', () => {
  let log: EventLog;
  let store: SnapshotStore;
  let lines: RecordedLine[];
  let opened: StateSnapshots[];
  /** The revisions that were read from, but for those of an event that a snapshot must have. */
  let reads: number[];
  let close: () => Promise<void>;

  beforeEach(async () => {
    const [temporary, folder] = [await openTemporaryLog(), await temporaryFolder()];
    ({ log } = temporary);
    store = await openEmbeddedSnapshotStore({ file: (name) => join(folder.path, name) });
    [lines, opened, reads] = [[], [], []];
    close = async () => {
      await Promise.all(opened.map((each) => each.close()));
      await store.close();
      await temporary.close();
      await folder.remove();
    };
  });
  afterEach(() => close());

  /** A process that has just started. */
  const start = (over: Partial<SnapshotStore> = {}): CommandHandler => {
    const { logger, lines: own } = createRecordingLogger();
    lines = own;
    const kept = Object.assign(Object.create(store) as SnapshotStore, {
      find: (name: string) => store.find(name),
      write: (...args: Parameters<SnapshotStore['write']>) => store.write(...args),
      remove: (streams: readonly string[]) => store.remove(streams),
      ...over,
    });
    const snapshots = new StateSnapshots({ log, store: kept, logger });
    opened.push(snapshots);
    const watched: EventLog = Object.assign(Object.create(log) as EventLog, {
      append: (...args: Parameters<EventLog['append']>) => log.append(...args),
      readStream(name: string, from = 0) {
        reads.push(from);
        return log.readStream(name, from);
      },
    });
    return createCommandHandler({ log: watched, views, random: systemRandom, logger, snapshots });
  };

  const create = (commands: CommandHandler, slug: string, roomId = slug, text = '') =>
    commands.execute({ stream, decider }, { type: 'CreateRoom', room: room(slug, roomId, text) }, context);
  const codeOf = (promise: Promise<unknown>) =>
    promise.then(
      () => 'done',
      (error: unknown) => (error instanceof Rejection ? (error as Rejection).code : error),
    );
  const slugsOf = (commands: CommandHandler) =>
    commands.inspect({ stream, decider }, (state) => [...state.idBySlug.keys()]);
  const revisionKept = async () => (await store.find(stream))?.revision;

  /** Ten large rooms, and a snapshot of at least these. */
  const fill = async (): Promise<CommandHandler> => {
    const commands = start();
    for (let index = 0; index < 10; index += 1) await create(commands, `s${index}`, `r${index}`, large);
    await eventually(async () => (await revisionKept()) !== undefined);
    return commands;
  };

  it('are taken of long streams alone, beside the commands', async () => {
    const commands = start();
    for (let index = 0; index < 50; index += 1) await create(commands, `small-${index}`);
    expect(await revisionKept()).to.equal(undefined);
    for (let index = 0; index < 10; index += 1) await create(commands, `s${index}`, `r${index}`, large);
    await eventually(async () => (await revisionKept()) !== undefined);
    expect(lines).to.eql([]);
  });

  it('are what a new process begins with, and the rest it reads from the log', async () => {
    const before = await fill();
    await create(before, 'later');
    const revision = (await revisionKept()) as number;
    expect(revision).to.be.within(8, 9);
    reads = [];
    const commands = start();
    expect(await codeOf(create(commands, 's3', 'another'))).to.equal('room_slug_taken');
    expect(await codeOf(create(commands, 'later', 'another'))).to.equal('room_slug_taken');
    expect(await codeOf(create(commands, 'free'))).to.equal('done');
    expect(reads[0]).to.equal(revision + 1);
    expect(await slugsOf(commands)).to.eql(await slugsOf(before));
    expect(lines).to.eql([]);
  });

  it('are renewed when enough has come after them', async () => {
    const commands = await fill();
    const first = (await revisionKept()) as number;
    for (let index = 10; index < 21; index += 1) await create(commands, `s${index}`, `r${index}`, large);
    await eventually(async () => ((await revisionKept()) as number) > first);
  });

  it('forget what was removed from the state', async () => {
    const commands = await fill();
    for (let index = 0; index < 10; index += 1)
      await commands.execute(
        { stream, decider },
        { type: 'DeleteRoom', appId: 'a1', roomId: `r${index}` },
        context,
      );
    for (let index = 10; index < 21; index += 1) {
      await create(commands, `s${index}`, `r${index}`, large);
      await commands.execute(
        { stream, decider },
        { type: 'DeleteRoom', appId: 'a1', roomId: `r${index}` },
        context,
      );
    }
    await eventually(async () => ((await revisionKept()) as number) >= 20);
    let characters = 0;
    for await (const part of (await store.find(stream))?.parts ?? []) characters += part.length;
    expect(characters).to.be.below(2 * large.length);
  });

  it('of another fold are not used, and are replaced', async () => {
    await fill();
    const revision = (await revisionKept()) as number;
    const event = (await store.find(stream))?.event as string;
    await store.write(stream, { version: 99, revision, event }, (async function* () {})());
    reads = [];
    const commands = start();
    expect(await slugsOf(commands)).to.have.length(10);
    expect(reads).to.eql([0]);
    await eventually(async () => (await store.find(stream))?.version === decider.records?.version);
    expect(lines).to.eql([]);
  });

  it('of another past of the stream are not used, and are replaced', async () => {
    await fill();
    const revision = (await revisionKept()) as number;
    const other = { version: 1, revision, event: '00000000-0000-4000-8000-000000000000' };
    const parts = async function* () {
      yield JSON.stringify([room('of the other past')]);
    };
    for (const head of [other, { ...other, revision: 1_000 }]) {
      await store.write(stream, head, parts());
      reads = [];
      expect(await slugsOf(start())).to.have.members(Array.from({ length: 10 }, (_, index) => `s${index}`));
      expect(reads).to.eql([0]);
      expect(lines.map(({ level }) => level)).to.eql(['warn']);
      await eventually(async () => (await store.find(stream))?.event !== other.event);
      await eventually(async () => (await revisionKept()) !== undefined);
    }
  });

  it('that are damaged are not used, and are replaced', async () => {
    await fill();
    const { version, revision, event } = (await store.find(stream)) ?? { version: 0, revision: 0, event: '' };
    for (const text of ['[{"roomId":', 'null', '[null]']) {
      await store.write(
        stream,
        { version, revision, event },
        (async function* () {
          yield text;
        })(),
      );
      reads = [];
      expect(await slugsOf(start()), text).to.have.length(10);
      expect(reads, text).to.eql([0]);
      expect(
        lines.map(({ level }) => level),
        text,
      ).to.eql(['warn']);
      await eventually(async () => (await revisionKept()) !== undefined);
    }
  });

  it('are done without where the store is away', async () => {
    await fill();
    const away = () => Promise.reject(new EngineUnavailable('snapshots'));
    reads = [];
    const commands = start({ find: away, write: away, remove: away });
    expect(await codeOf(create(commands, 's3', 'another'))).to.equal('room_slug_taken');
    expect(await codeOf(create(commands, 'free'))).to.equal('done');
    expect(reads[0]).to.equal(0);
    await commands.forget([stream]);
    expect(new Set(lines.map(({ level }) => level))).to.eql(new Set(['warn']));
  });

  it('are written by one of two processes that write the same stream', async () => {
    let writes = 0;
    const write = (...args: Parameters<SnapshotStore['write']>) => {
      writes += 1;
      return store.write(...args);
    };
    const handlers = [start({ write }), start({ write })];
    for (let index = 0; index < 12; index += 1) {
      await create(handlers[index % 2] as CommandHandler, `s${index}`, `r${index}`, large);
      if (index === 9) await eventually(async () => (await revisionKept()) !== undefined);
    }
    expect(await slugsOf(handlers[1] as CommandHandler)).to.have.length(12);
    await Promise.all(opened.map((each) => each.close()));
    expect(writes).to.equal(1);
  });

  it('are removed with what they are of', async () => {
    const commands = await fill();
    await commands.forget([stream]);
    expect(await revisionKept()).to.equal(undefined);
  });

  it('are given up when the process ends', async () => {
    let failure: unknown;
    const commands = start({
      write: (name, head, parts) => {
        void opened.at(-1)?.close();
        return store.write(name, head, parts).catch((error: unknown) => {
          failure = error;
          throw error;
        });
      },
    });
    for (let index = 0; index < 10; index += 1) await create(commands, `s${index}`, `r${index}`, large);
    await eventually(() => failure !== undefined);
    expect(await revisionKept()).to.equal(undefined);
    expect(lines).to.eql([]);
  });
});

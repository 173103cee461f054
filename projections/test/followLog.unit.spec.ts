import { expect } from 'chai';
import type { RecordedEvent } from '@roomwire/shared/domain/eventEnvelope';
import { UnknownEvent } from '@roomwire/shared/domain/events';
import { EngineUnavailable } from '@roomwire/shared/ports/errors';
import type { MessageBus } from '@roomwire/shared/ports/messageBus';
import type { ViewBatch, ViewChange } from '@roomwire/shared/ports/viewStore';
import { rejectionOf } from '@roomwire/testing/contracts/event-log/eventLogUnderTest';
import { createRecordingLogger } from '@roomwire/testing/fakes/loggers';
import { recordingTracing } from '@roomwire/testing/fakes/recordingTracing';
import { eventually } from '@roomwire/testing/run/eventually';
import { feedSpans } from '@roomwire/shared/wire/bus/feedSpans';
import { changesOrNone, followLog } from '../src/followLog.js';
import { changesOf } from '../src/projectors.js';
import { event, feedWorld } from './support/feedWorld.js';
import { positionOf, recordedEvent } from './support/history.js';
import { writtenLog } from './support/writtenLog.js';

const another = { log: 'another', event: 'another' };
const unknown = (index: number): RecordedEvent => ({ ...event(index), type: 'SomethingNewer' });
const ofProject = (projectId: string, index: number): RecordedEvent => {
  const made = event(index);
  return { ...made, metadata: { ...made.metadata, projectId } };
};
const deletedProject = (index: number): RecordedEvent =>
  recordedEvent({ type: 'ProjectDeleted', data: { projectId: 'p' } }, index);

interface Found {
  /** The number of the last event that is written; none by default. */
  readonly written?: number;
  /** That of the last one that the bus has confirmed, as it was written with a batch. */
  readonly marked?: number;
  readonly isFilled?: boolean;
  readonly ofAnotherLog?: boolean;
}

const numberOf = (position: string): number => Number(position);

/** Read models that keep what they are told, and a log. */
const world = (
  batches: readonly (readonly RecordedEvent[])[],
  { written = 0, marked = written, isFilled = written > 0, ofAnotherLog = false }: Found = {},
) => {
  const log = writtenLog(...batches);
  const first = batches.flat()[0] ?? event(1);
  const { deps, calls, fed, lines, state } = feedWorld(log);
  const told: string[] = [];
  const applied: ViewBatch[] = [];
  const ahead: (readonly ViewChange[])[] = [];
  const hold = { apply: Promise.resolve(), appliesAhead: true };
  const id = event(written).id;
  const origin = { log: first.id, position: positionOf(written), event: id, ...(ofAnotherLog && another) };
  let checkpoint = written === 0 ? undefined : positionOf(written);
  state.admitsReaders = isFilled;
  state.written = marked === 0 ? undefined : positionOf(marked);
  const views = {
    ...deps.views,
    checkpoint: async () => checkpoint,
    origin: async () => (checkpoint === undefined ? undefined : origin),
    async apply(batch: ViewBatch) {
      applied.push(batch);
      await hold.apply;
      checkpoint = batch.position;
      told.push(`write to ${numberOf(batch.position)}`);
    },
    async applyAhead(changes: readonly ViewChange[]) {
      ahead.push(changes);
      return hold.appliesAhead;
    },
    async clear() {
      checkpoint = undefined;
      state.admitsReaders = false;
      told.push('clear');
    },
  };
  const bus = {
    ...deps.bus,
    async send(channel: unknown, { position }: RecordedEvent) {
      if (channel === feedSpans) return;
      fed.push(position);
      told.push(`feed ${numberOf(position)}`);
    },
  } as unknown as MessageBus;
  const notes: (boolean | number)[] = [];
  const mark = { position: undefined as string | undefined };
  let caughtUp = 0;
  const follow = (more: object = {}) =>
    followLog(
      {
        ...{ ...deps, views, bus },
        onLed: (hasCascade) => void notes.push(hasCascade),
        onWritten: (events) => void notes.push(events),
        ...more,
      },
      mark,
      () => void (caughtUp += 1),
    );
  return { log, told, applied, ahead, hold, notes, mark, calls, lines, follow, caughtUp: () => caughtUp };
};

const held = () => {
  let release: () => void = () => undefined;
  const until = new Promise<void>((resolve) => (release = resolve));
  return { until, release };
};

const isPending = async (promise: Promise<unknown>): Promise<boolean> => {
  const other = Symbol('other');
  const turn = new Promise((resolve) => setImmediate(resolve, other));
  return (await Promise.race([promise, turn])) === other;
};

describe('what follows the log', () => {
  it('writes what the log holds by now, then feeds what the bus has not confirmed, then goes on', async () => {
    const { log, told, notes, applied, follow } = world([[event(1), event(2)], [event(3)], [event(4)]], {
      written: 2,
      marked: 1,
    });
    const subscription = await follow();
    expect(told).to.eql(['write to 3', 'write to 4', 'feed 2', 'feed 3', 'feed 4']);
    expect(applied.map(({ after }) => after)).to.eql([2, 3].map(positionOf));
    expect(notes).to.eql([false, false, 2]);
    expect(log.followedFrom).to.equal(positionOf(4));
    await subscription.close();
  });

  it('reports no events where there was nothing to catch up with', async () => {
    const { log, told, notes, follow } = world([[event(1), event(2)]], { written: 2 });
    const subscription = await follow();
    expect([told, notes, log.followedFrom]).to.eql([[], [], positionOf(2)]);
    await subscription.close();
  });

  it('writes the changes of a batch with where it comes from, and with the mark of the feed', async () => {
    const { log, applied, told, notes, mark, follow } = world([[event(1), event(2)]], { written: 2 });
    const subscription = await follow();
    await log.deliver(event(3), event(4));
    await eventually(() => mark.position === positionOf(4));
    await log.deliver(event(5));
    await eventually(() => notes.length === 4);
    const markAt = (index: number) => ({
      ...{ put: 'feedProgress', id: 'domain-events' },
      doc: { feed: 'domain-events', position: positionOf(index) },
    });
    expect(applied).to.eql([
      {
        changes: [markAt(2), ...changesOf(event(3)), ...changesOf(event(4))],
        ...{ position: positionOf(4), after: positionOf(2) },
        origin: { log: event(1).id, position: positionOf(4), event: event(4).id },
      },
      {
        changes: [markAt(4), ...changesOf(event(5))],
        ...{ position: positionOf(5), after: positionOf(4) },
        origin: { log: event(1).id, position: positionOf(5), event: event(5).id },
      },
    ]);
    expect(told).to.eql(['write to 4', 'feed 3', 'feed 4', 'write to 5', 'feed 5']);
    expect(notes).to.eql([false, 2, false, 1]);
    await subscription.close();
  });

  it('needs nobody who is told of what it does', async () => {
    const { log, told, follow } = world([[event(1)], [event(2)]], { written: 1 });
    const subscription = await follow({ onLed: undefined, onWritten: undefined });
    await log.deliver(event(3));
    await eventually(() => told.includes('feed 3'));
    await log.deliver(event(4));
    await eventually(() => told.includes('feed 4'));
    expect(told).to.include.members(['write to 2', 'write to 3', 'write to 4']);
    await subscription.close();
  });

  it('leaves to a sweep what a deleted project has, and says so', async () => {
    const { log, applied, notes, follow } = world([[event(1)]], { written: 1 });
    const subscription = await follow();
    await log.deliver(deletedProject(2));
    await eventually(() => notes.length === 2);
    expect(notes).to.eql([true, 1]);
    expect(applied[0]?.changes.some((change) => 'removeWhere' in change)).to.equal(false);
    await subscription.close();
  });

  it('removes that at once where nobody reads', async () => {
    const { log, applied, notes, follow } = world([[event(1), deletedProject(2)]]);
    const subscription = await follow();
    await log.deliver(event(1), deletedProject(2));
    await eventually(() => notes.length === 2);
    expect(notes).to.eql([false, 2]);
    expect(applied[0]?.changes.some((change) => 'removeWhere' in change)).to.equal(true);
    await subscription.close();
  });

  it('has caught up once what was delivered is written and published', async () => {
    const { log, hold, told, caughtUp, follow } = world([[event(1)]], { written: 1 });
    const { until, release } = held();
    const subscription = await follow();
    hold.apply = until;
    await log.deliver(event(2));
    log.caughtUp();
    expect(await isPending(eventually(() => caughtUp() > 0))).to.equal(true);
    release();
    await eventually(() => caughtUp() === 1);
    expect(told).to.eql(['write to 2', 'feed 2']);
    await subscription.close();
  });
});

describe('what follows the log, with revocations', () => {
  const waiting = async (found: Found, appliesAhead = true) => {
    const made = world([[event(1)]], found);
    const { until, release } = held();
    const subscription = await made.follow();
    made.hold.apply = until;
    made.hold.appliesAhead = appliesAhead;
    await made.log.deliver(event(2));
    await made.log.deliver(ofProject('other', 3));
    const end = async () => {
      release();
      await subscription.close();
    };
    return { ...made, end };
  };

  it('shows and feeds them before the batch in front of them is written', async () => {
    const { told, ahead, end } = await waiting({ written: 1 });
    await eventually(() => told.length > 0);
    expect(told).to.eql(['feed 3']);
    expect(ahead).to.eql([changesOf(ofProject('other', 3))]);
    await end();
    expect(told).to.eql(['feed 3', 'write to 2', 'feed 2', 'write to 3', 'feed 3']);
  });

  it('does not feed them early where they cannot be shown', async () => {
    const { told, ahead, end } = await waiting({ written: 1 }, false);
    await eventually(() => ahead.length > 0);
    await end();
    expect(told).to.eql(['write to 2', 'feed 2', 'write to 3', 'feed 3']);
  });

  it('does not let them go ahead where nobody reads', async () => {
    const { ahead, end } = await waiting({});
    await end();
    expect(ahead).to.eql([]);
  });
});

describe('what follows the log and fails', () => {
  it('ends with the error, follows no more and has not caught up', async () => {
    const { log, hold, caughtUp, told, follow } = world([[event(1)]], { written: 1 });
    const subscription = await follow();
    hold.apply = Promise.reject(new EngineUnavailable('read models'));
    await log.deliver(event(2));
    log.caughtUp();
    expect(await rejectionOf(subscription.done)).to.be.instanceOf(EngineUnavailable);
    expect([log.isFollowed, caughtUp(), told]).to.eql([false, 0, []]);
    await subscription.close();
  });

  it('ends once what is before an event of a newer version is written and published', async () => {
    const { log, hold, told, follow } = world([[event(1)]], { written: 1 });
    const { until, release } = held();
    const subscription = await follow();
    hold.apply = until;
    const delivered = log.deliver(event(2), unknown(3), event(4));
    expect(await isPending(delivered)).to.equal(true);
    release();
    const failure = await rejectionOf(subscription.done);
    expect(failure).to.be.instanceOf(UnknownEvent);
    expect((failure as UnknownEvent).event.id).to.equal(unknown(3).id);
    expect(told).to.eql(['write to 2', 'feed 2']);
  });

  it('writes nothing where an event of a newer version comes first', async () => {
    const { log, applied, follow } = world([[event(1)]], { written: 1 });
    const subscription = await follow();
    await log.deliver(unknown(2));
    expect(await rejectionOf(subscription.done)).to.be.instanceOf(UnknownEvent);
    expect(applied).to.eql([]);
  });

  it('is closed once the batch is through, whether or not that fails', async () => {
    for (const error of [undefined, new EngineUnavailable('read models')]) {
      const { log, hold, told, follow } = world([[event(1)]], { written: 1 });
      const { until, release } = held();
      const subscription = await follow();
      hold.apply = until.then(() => {
        if (error) throw error;
      });
      await log.deliver(event(2));
      const closed = subscription.close();
      expect(await isPending(closed)).to.equal(true);
      release();
      await closed;
      expect(told).to.eql(error ? [] : ['write to 2', 'feed 2']);
      expect(log.isFollowed).to.equal(false);
    }
  });
});

describe('what the log holds beyond the checkpoint', () => {
  const many = (from: number, count: number) => Array.from({ length: count }, (_, n) => event(from + n));

  it('is written before anything is fed, up to two thousand events', async () => {
    const { log, applied, notes, follow } = world(
      [[event(1)], many(2, 1_999), many(2_001, 1), many(2_002, 1)],
      {
        written: 1,
      },
    );
    const subscription = await follow();
    expect(applied.map(({ position }) => position)).to.eql([2_000, 2_001].map(positionOf));
    expect(notes).to.eql([false, false, 2_000]);
    expect(log.followedFrom).to.equal(positionOf(2_001));
    await subscription.close();
  });

  it('is written up to an event of a newer version', async () => {
    const { log, told, follow } = world([[event(1)], [event(2), unknown(3)], [event(4)]], { written: 1 });
    const subscription = await follow();
    expect(told).to.eql(['write to 2', 'feed 2']);
    expect(log.followedFrom).to.equal(positionOf(2));
    await subscription.close();
  });

  it('is nothing where that comes first', async () => {
    const { applied, follow } = world([[event(1)], [unknown(2)]], { written: 1 });
    const subscription = await follow();
    expect(applied).to.eql([]);
    await subscription.close();
  });

  it('is not written first where nobody reads', async () => {
    const { log, applied, follow } = world([[event(1)], [event(2)]]);
    const subscription = await follow();
    expect([applied, log.followedFrom]).to.eql([[], undefined]);
    await subscription.close();
  });
});

describe('read models that do not fit the log', () => {
  const events = [[event(1), event(2)], [event(3)]];

  it('are made anew where they are of another one, and nothing of the past is fed', async () => {
    const { log, told, mark, lines, follow } = world(events, { written: 2, ofAnotherLog: true });
    mark.position = positionOf(1);
    const subscription = await follow();
    expect(told).to.eql(['clear']);
    expect([log.followedFrom, mark.position]).to.eql([undefined, positionOf(3)]);
    expect(lines.map(({ message }) => message)).to.eql([
      'Making the read models anew, for the event log that is here now',
    ]);
    await log.deliver(...events.flat());
    await eventually(() => told.length > 1);
    await subscription.close();
    expect(told).to.eql(['clear', 'write to 3']);
  });

  it('are made anew where they were lost, and what this process has not fed is fed', async () => {
    const { log, told, mark, lines, follow } = world(events);
    mark.position = positionOf(2);
    const subscription = await follow();
    await log.deliver(...events.flat());
    await eventually(() => told.length > 1);
    await subscription.close();
    expect(told).to.eql(['clear', 'write to 3', 'feed 3']);
    expect(lines).to.eql([]);
  });

  it('are left as they are where they hold an empty log', async () => {
    const { log, told, follow } = world([], { isFilled: true });
    const subscription = await follow();
    expect([told, log.followedFrom]).to.eql([[], undefined]);
    await log.deliver(event(1));
    await subscription.close();
    expect(told).to.eql(['write to 1', 'feed 1']);
  });
});

describe('what follows the log and is traced', () => {
  const traceparent = `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`;
  const traced = (index: number): RecordedEvent => {
    const made = event(index);
    return { ...made, metadata: { ...made.metadata, traceparent } };
  };

  it('ends the spans of a batch once it is written', async () => {
    const { log, hold, notes, follow } = world([[event(1)]], { written: 1 });
    const { tracing, spans } = recordingTracing();
    const { until, release } = held();
    const subscription = await follow({ tracing });
    hold.apply = until;
    await log.deliver(traced(2), traced(3), event(4));
    expect(spans.map(({ attributes, ended }) => ({ ...attributes, ended }))).to.eql(
      [2, 3].map((index) => ({
        ...{ 'roomwire.event_type': 'RoomDeleted', 'roomwire.position': positionOf(index) },
        ended: undefined,
      })),
    );
    release();
    await eventually(() => notes.length === 2);
    expect(spans.map(({ ended }) => ended)).to.eql([null, null]);
    await subscription.close();
  });

  it('ends them with the error where that fails', async () => {
    const { log, hold, follow } = world([[event(1)]], { written: 1 });
    const { tracing, spans } = recordingTracing();
    const subscription = await follow({ tracing });
    const error = new EngineUnavailable('read models');
    hold.apply = Promise.reject(error);
    await log.deliver(traced(2));
    expect(await rejectionOf(subscription.done)).to.equal(error);
    expect(spans.map(({ ended }) => ended)).to.eql([error]);
  });
});

describe('the changes of an event', () => {
  it('are none where it is malformed, and that is said', () => {
    const { logger, lines } = createRecordingLogger();
    const malformed = { ...event(3), type: 'RoomUpdated', data: null };
    expect(changesOrNone(malformed, logger)).to.eql([]);
    expect(lines).to.have.length(1);
    expect(lines[0]).to.include({ level: 'error', message: 'An event was skipped' });
    expect(lines[0]?.fields).to.include({
      ...{ eventId: malformed.id, type: 'RoomUpdated', position: positionOf(3) },
    });
    expect(lines[0]?.fields?.['error']).to.be.instanceOf(Error);
  });

  it('are not guessed where a newer version has written it', () => {
    const { logger, lines } = createRecordingLogger();
    expect(() => changesOrNone(unknown(3), logger)).to.throw(UnknownEvent);
    expect(lines).to.eql([]);
  });
});

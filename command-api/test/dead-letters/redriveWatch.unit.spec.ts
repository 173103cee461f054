import { expect } from 'chai';
import type { DeadLetter } from '@roomwire/shared/domain/deadLetter';
import type { RecordedEvent } from '@roomwire/shared/domain/eventEnvelope';
import { UnknownEvent } from '@roomwire/shared/domain/events';
import { systemClock } from '@roomwire/shared/adapters/system/systemClock';
import { EngineUnavailable } from '@roomwire/shared/ports/errors';
import type { CommandHandler } from '../../src/handling/commandHandler.js';
import type { DeadLetterState } from '../../src/dead-letters/decider.js';
import { RedriveWatch } from '../../src/dead-letters/redriveWatch.js';

const entry = { dlqId: 'd1' } as DeadLetter;
const redriven: DeadLetterState = { entry, wasRecorded: true, failures: [], delivery: undefined };
const failure = { dlqId: 'd1', redriveId: 'r1', responseStatus: 410, error: 'gone', retryCount: 0 };
const unknown = { delivered: false, responseStatus: null, error: null };

describe('[HOOK-REDRIVE-2] the outcome of a redrive', () => {
  let state: DeadLetterState;
  let looks: number;
  let reached: string[];
  /** So many looks meet an outage of the log. */
  let failing: number;

  const commands = {
    inspect: async (_target: unknown, select: (state: DeadLetterState) => unknown) => {
      looks += 1;
      if (looks <= failing) throw new EngineUnavailable('event log');
      return select(state);
    },
  } as unknown as Pick<CommandHandler, 'inspect'>;

  const watchWith = (options: ConstructorParameters<typeof RedriveWatch>[0]['options'] = {}): RedriveWatch =>
    new RedriveWatch({
      clock: systemClock,
      limits: { reached: (limit) => void reached.push(limit) },
      options: { firstLookMs: 1, laterLookMs: 2, waitMs: 10_000, ...options },
    });

  beforeEach(() => {
    [state, looks, reached, failing] = [redriven, 0, [], 0];
  });

  it('is waited for until the entry is gone by a 2xx', async () => {
    const outcome = watchWith().outcomeOf(commands, 'd1', 'r1');
    while (looks < 3) await new Promise(setImmediate);
    const delivery = { dlqId: 'd1', redriveId: 'r1', responseStatus: 204 };
    state = { ...redriven, entry: undefined, delivery };
    expect(await outcome).to.eql({ delivered: true, responseStatus: 204, error: null });
  });

  it('is waited for until it has failed, whatever other redrives do', async () => {
    const other = { ...failure, redriveId: 'r0', status: 'failed' as const };
    state = { ...redriven, failures: [other] };
    const outcome = watchWith().outcomeOf(commands, 'd1', 'r1');
    while (looks < 3) await new Promise(setImmediate);
    state = { ...redriven, failures: [other, { ...other, redriveId: 'r1' }, { ...other, redriveId: 'r2' }] };
    expect(await outcome).to.eql({ delivered: false, responseStatus: 410, error: 'gone' });
  });

  it('is that of another redrive by which the entry has gone', async () => {
    state = {
      ...redriven,
      entry: undefined,
      delivery: { dlqId: 'd1', redriveId: 'r0', responseStatus: 200 },
    };
    expect(await watchWith().outcomeOf(commands, 'd1', 'r1')).to.eql({
      ...{ delivered: true, responseStatus: 200, error: null },
    });
  });

  it('is not known of an entry that was deleted meanwhile, or when the time is over', async () => {
    expect(await watchWith({ waitMs: 5 }).outcomeOf(commands, 'd1', 'r1')).to.eql(unknown);
    state = { ...redriven, entry: undefined };
    expect(await watchWith().outcomeOf(commands, 'd1', 'r1')).to.eql(unknown);
  });

  it('is found after an outage of the log', async () => {
    failing = 2;
    state = { ...redriven, failures: [{ ...failure, status: 'failed' }] };
    expect(await watchWith().outcomeOf(commands, 'd1', 'r1')).to.eql({
      ...{ delivered: false, responseStatus: 410, error: 'gone' },
    });
    expect(looks).to.equal(3);
  });

  it('is not known where a newer version has written into the entry', async () => {
    const newer = { id: 'e1', type: 'DeadLetterArchived', schemaVersion: 1 } as RecordedEvent;
    const unreadable = { inspect: async () => Promise.reject(new UnknownEvent(newer)) };
    expect(await watchWith().outcomeOf(unreadable, 'd1', 'r1')).to.eql(unknown);
  });

  it('is not known where the log cannot be read until the time is over', async () => {
    failing = Infinity;
    expect(await watchWith({ waitMs: 5 }).outcomeOf(commands, 'd1', 'r1')).to.eql(unknown);
  });

  it('is not waited for while too many wait, nor when this process ends', async () => {
    const watch = watchWith({ mostWaiting: 1 });
    const first = watch.outcomeOf(commands, 'd1', 'r1');
    expect(await watch.outcomeOf(commands, 'd1', 'r2')).to.eql(unknown);
    expect(reached).to.eql(['waitingRedrives']);
    await watch.close();
    expect(await first).to.eql(unknown);
    // There is room again.
    expect(await watch.outcomeOf(commands, 'd1', 'r3')).to.eql(unknown);
    expect(reached).to.have.lengthOf(1);
  });
});

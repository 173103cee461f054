import { expect } from 'chai';
import type { RecordedEvent } from '@roomwire/shared/domain/eventEnvelope';
import type { LogPosition } from '@roomwire/shared/ports/eventLog';
import type { Service } from '@roomwire/shared/runtime/service';
import { silentLogger as logger } from '@roomwire/testing/fakes/loggers';
import { ManualClock } from '@roomwire/testing/fakes/manualClock';
import { eventually } from '@roomwire/testing/run/eventually';
import { createDeletionFollower } from '../src/deletionFollower.js';
import { RepeatedDeletions } from '../src/repeatedDeletions.js';
import { positionOf, recordedEvent } from './support/history.js';
import { writtenLog } from './support/writtenLog.js';

describe('the checkpoint of what events delete from', () => {
  let clock: ManualClock;
  let log: ReturnType<typeof writtenLog>;
  let moves: (LogPosition | undefined)[];
  let repeated: RepeatedDeletions<string>;
  let done: string[];
  let follower: Service;

  beforeEach(async () => {
    [clock, moves, done] = [new ManualClock(), [], []];
    log = writtenLog([eventOf(1)]);
    repeated = new RepeatedDeletions<string>(clock, async (ids) => void done.push(...ids));
    const store = {
      checkpoint: async () => undefined,
      origin: async () => undefined,
      moveCheckpoint: async (position: LogPosition | undefined) => void moves.push(position),
    };
    const deleteBy = async (events: readonly RecordedEvent[]): Promise<boolean> => {
      const deletions = events.filter(({ type }) => type === 'RoomDeleted');
      for (const event of deletions) repeated.add(event.position, event);
      return deletions.length > 0;
    };
    follower = createDeletionFollower({ log, logger }, { name: 'store', store, deleteBy, repeated });
    await follower.start();
    await eventually(() => log.isFollowed);
  });
  afterEach(() => follower.close());

  const atNow = (event: RecordedEvent): RecordedEvent => ({
    ...event,
    metadata: { ...event.metadata, occurredAt: new Date(clock.now()).toISOString() },
  });
  const eventOf = (index: number): RecordedEvent =>
    recordedEvent({ type: 'ActorDeleted', data: { actorTokenId: 'actor' } }, index);
  const deletion = (index: number): RecordedEvent =>
    atNow(recordedEvent({ type: 'RoomDeleted', data: { appId: 'app', roomId: 'room' } }, index));

  it('stays before a deletion until that was done again', async () => {
    await log.deliver(eventOf(1));
    await log.deliver(eventOf(2), deletion(3));
    await log.deliver(eventOf(4));
    await repeated.again();
    await log.deliver(eventOf(5));
    expect([moves, done]).to.eql([[positionOf(1)], []]);
    await repeated.again();
    await log.deliver(eventOf(6));
    expect([moves.at(-1), done]).to.eql([positionOf(6), [positionOf(3)]]);
  });

  it('moves once between two repetitions while each batch deletes', async () => {
    let index = 0;
    while (index < 50) {
      await log.deliver(deletion((index += 1)));
      if (index % 10 === 0) await repeated.again();
    }
    expect(done.at(-1)).to.equal(positionOf(40));
    expect(moves).to.eql([10, 20, 30].map(positionOf));
  });

  it('passes a deletion of long ago at once', async () => {
    const old = deletion(1);
    clock.pass(600_000);
    await log.deliver(old);
    expect(moves).to.eql([positionOf(1)]);
  });
});

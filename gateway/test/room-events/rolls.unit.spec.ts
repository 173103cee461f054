import { expect } from 'chai';
import { EngineUnavailable } from '@roomwire/shared/ports/errors';
import { rollKey, type RollId } from '@roomwire/shared/ports/roomEventStore';
import { rollOf } from '@roomwire/testing/contracts/roomEventStoreContract';
import { eventually } from '@roomwire/testing/run/eventually';
import { createMetrics } from '../../src/metrics.js';
import { EventPlaces } from '../../src/room-events/places.js';
import type { RecordWriter } from '../../src/room-events/recordWriter.js';
import { Rolls, type RollsDeps } from '../../src/room-events/rolls.js';

const first = rollOf('first');
const second = rollOf('second');

describe('the rolls of a gateway', () => {
  let read: string[];
  /** So many reads meet an outage of the store. */
  let failing: number;
  /** So many looks at the read models find nothing, because they have lost what they had. */
  let lost: number;
  let removed: RollId[];
  let rolls: Rolls;

  beforeEach(() => {
    [read, failing, lost, removed] = [[], 0, 0, []];
    const store = {
      openIn: async () => [first, second],
      read: async (id: RollId) => {
        read.push(id.roomId);
        if (id.roomId === 'second' && (failing -= 1) >= 0) throw new EngineUnavailable('room events');
        return { roll: rollOf(id.roomId), records: [], settled: 0 };
      },
      remove: async (id: RollId) => void removed.push(id),
    };
    const views = {
      get: async () => (lost > 0 ? undefined : { config: {} }),
      admitsReaders: async () => (lost -= 1) < 0,
    };
    rolls = new Rolls({
      store: store as unknown as RollsDeps['store'],
      places: new EventPlaces({ views } as unknown as ConstructorParameters<typeof EventPlaces>[0]),
      board: { isWhole: true, rooms: [], entries: () => [], presentSince: () => undefined },
      bus: { put: async () => undefined },
      clock: { now: () => 0, monotonic: () => 0 },
      random: { uuid: () => 'id' },
      metrics: createMetrics(),
      limits: { reached: () => undefined },
      logger: { warn: () => undefined } as unknown as RollsDeps['logger'],
      writer: undefined as unknown as RecordWriter,
      wake: () => undefined,
      onClosed: () => undefined,
    });
  });

  const opened = () => [...rolls.keepers].map(({ id }) => rollKey(id)).sort();

  it('are opened one after the other, and those that are open not again after a failure', async () => {
    failing = 2;
    rolls.gained(1, 1);
    await eventually(() => opened().length === 2);
    expect(opened()).to.eql([first, second].map(rollKey));
    expect(read).to.eql(['first', 'second', 'second', 'second']);
    await rolls.lost(1);
  });
  it('[HOOK-EVENT-7] are kept while the read models have lost their apps', async () => {
    lost = 3;
    rolls.gained(1, 1);
    await eventually(() => opened().length === 2);
    expect(removed).to.eql([]);
    await rolls.lost(1);
  });
});

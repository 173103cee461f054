import type { ResolvedEvent } from '@eventstore/db-client';
import { expect } from 'chai';
import { createLogEnd } from '../../../src/adapters/event-log/eventstoredb/reads.js';
import {
  createEventReader,
  logPositionOf,
} from '../../../src/adapters/event-log/eventstoredb/storedEvents.js';

const resolved = (at: number, streamId: string): ResolvedEvent => ({
  event: {
    streamId,
    id: 'e',
    type: 'T',
    isJson: true,
    revision: 0n,
    data: {},
    metadata: { schemaVersion: 1 },
    created: new Date(0),
    position: { commit: BigInt(at), prepare: BigInt(at) },
  },
});

const position = (at: number): string => logPositionOf({ commit: BigInt(at), prepare: BigInt(at) });

const database = () => {
  let events: ResolvedEvent[] = [];
  let looks = 0;
  async function* backwards(): AsyncGenerator<ResolvedEvent, void> {
    for (const event of events.toReversed()) {
      looks += 1;
      yield event;
    }
  }
  return {
    look: createLogEnd({ backwards }, createEventReader('ours-')),
    holds: (...streams: string[]) => {
      events = streams.map((stream, index) => resolved(10 * (index + 1), stream));
    },
    looksTaken: () => {
      const taken = looks;
      looks = 0;
      return taken;
    },
  };
};

describe('the end of a log in EventStoreDB', () => {
  it('is undefined while the database is empty', async () => {
    expect(await database().look()).to.deep.equal({ end: undefined, head: undefined });
  });

  it('differs from the end of the database', async () => {
    const { look, holds } = database();
    holds('ours-1', '$stats', 'theirs');
    expect(await look()).to.deep.equal({ end: position(30), head: position(10) });
    holds('$stats', 'theirs');
    expect(await database().look()).to.deep.equal({ end: undefined, head: undefined });
  });

  it('is searched for only in new records', async () => {
    const { look, holds, looksTaken } = database();
    holds('ours-1', '$a', '$b', '$c');
    await look();
    expect(looksTaken()).to.equal(4);
    expect(await look()).to.deep.equal({ end: position(40), head: position(10) });
    expect(looksTaken()).to.equal(1);
    holds('ours-1', '$a', '$b', '$c', '$d');
    expect(await look()).to.deep.equal({ end: position(50), head: position(10) });
    expect(looksTaken()).to.equal(2);
    holds('ours-1', '$a', '$b', '$c', '$d', 'ours-2');
    expect(await look()).to.deep.equal({ end: position(60), head: position(60) });
    expect(looksTaken()).to.equal(1);
  });

  it('is found again in a database that was restored from a backup', async () => {
    const { look, holds } = database();
    holds('ours-1', 'ours-2', 'ours-3', '$a');
    expect(await look()).to.deep.include({ head: position(30) });
    holds('ours-1', '$a');
    expect(await look()).to.deep.equal({ end: position(20), head: position(10) });
  });
});

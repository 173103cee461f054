import { expect } from 'chai';
import { eventually } from '@roomwire/testing/run/eventually';
import { temporaryFolder } from '@roomwire/testing/run/temporaryFolder';
import { createRecordingLogger } from '@roomwire/testing/fakes/loggers';
import { Collector, defaultLimits } from '../src/collect/collector.js';
import { followJournal } from '../src/collect/followJournal.js';
import { messageFacts } from '../src/facts/facts.js';
import type { Segment } from '../src/store/factFiles.js';
import { FactFolder } from '../src/store/factFolder.js';

/** A journal of so many facts, from a number on. */
const journalOf = (first: number, count: number) => ({
  read: (_stream: string, from: number, limit: number) =>
    Array.from({ length: Math.max(0, Math.min(limit, first + count - Math.max(from, first))) }, (_, n) => ({
      number: Math.max(from, first) + n,
      fact: [Math.max(from, first) + n],
    })),
  last: () => first + count - 1,
  close: async () => undefined,
});

const followerOf = async (
  journal: ReturnType<typeof journalOf>,
  write: (segment: Segment) => Promise<void>,
) => {
  const temporary = await temporaryFolder();
  const folder = new FactFolder(temporary.path);
  const limits = { ...defaultLimits, facts: 1_000 };
  const { logger } = createRecordingLogger();
  const follower = followJournal({
    ...{ journal, stream: messageFacts(false), folder },
    collect: (source) => new Collector({ write, source, limits, logger }),
  });
  return { follower, remove: () => temporary.remove() };
};

describe('The follower of a journal', () => {
  it('copies all of it, from its start, in limited memory', async () => {
    const written: number[] = [];
    let most = 0;
    const { follower, remove } = await followerOf(journalOf(7, 10_000), async ({ facts }) => {
      most = Math.max(most, facts.length);
      written.push(...facts.map(([number]) => Number(number)));
    });
    await follower.gather();
    await follower.flush();
    expect(written).to.eql(Array.from({ length: 10_000 }, (_, n) => 7 + n));
    expect(most).to.be.at.most(4_000);
    await follower.close();
    await remove();
  });

  it('can be closed while it waits for a full disk', async () => {
    let refused = 0;
    const { follower, remove } = await followerOf(journalOf(1, 100_000), async () => {
      refused += 1;
      throw new Error('ENOSPC');
    });
    const gathered = follower.gather();
    await eventually(() => refused > 0);
    await follower.close();
    await gathered;
    await remove();
  });
});

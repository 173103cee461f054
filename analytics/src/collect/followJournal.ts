import { setTimeout as pause } from 'node:timers/promises';
import type { FactJournalReader } from '@roomwire/shared/adapters/fact-journal/factJournal';
import type { Fact, FactStream } from '../facts/factStream.js';
import type { FactFolder } from '../store/factFolder.js';
import type { Collector, FactSource } from './collector.js';

interface GatherDeps {
  readonly journal: FactJournalReader;
  readonly stream: FactStream;
  readonly folder: FactFolder;
  readonly collect: (source: FactSource) => Collector;
}

export interface JournalFollower {
  /** Reads the new facts of the journal. Rejects where the journal ends before what the files hold: it was begun anew. */
  gather(): Promise<void>;
  /** Resolves when all that was taken over is in files. */
  flush(): Promise<void>;
  close(): Promise<void>;
}

/** A journal has no partitions: all of it is in this one. */
const partition = 0;
const pageFacts = 2_000;
const firstPlace = 1;

/** Takes the facts of a stream from the journal of a service in one process. */
export const followJournal = ({ journal, stream, folder, collect }: GatherDeps): JournalFollower => {
  let resumed: Promise<void> | undefined;
  let resume = (): void => undefined;
  const collector = collect({
    pause: () => {
      resumed = new Promise((resolve) => (resume = resolve));
    },
    resume: () => resume(),
    written: () => undefined,
  });
  let next = folder.nextPlace(partition) ?? firstPlace;
  let isOpen = true;
  let gathering: Promise<void> = Promise.resolve();

  const takeOver = async (): Promise<void> => {
    if (next > journal.last(stream.name) + 1)
      throw new Error(
        `The journal was begun anew: its ${stream.name} end before what ${folder.path} holds. ` +
          'Move that folder away, and start again.',
      );
    while (isOpen) {
      const page = journal.read(stream.name, next, pageFacts);
      const [first, last] = [page[0], page.at(-1)];
      if (first === undefined || last === undefined) return;
      const offsets = page.map(({ number }) => number);
      const facts = page.map(({ fact }) => fact as Fact);
      collector.add({ partition, first: first.number, next: last.number + 1, offsets, facts });
      next = last.number + 1;
      await (resumed ?? pause(0));
      resumed = undefined;
    }
  };
  return {
    gather: () => (gathering = takeOver()),
    flush: () => collector.flush(),
    close: async () => {
      isOpen = false;
      // It may wait for a disk that is full.
      resume();
      await gathering.catch(() => undefined);
      await collector.close();
    },
  };
};

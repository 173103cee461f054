import { join } from 'node:path';
import type { FactJournalReader } from '@roomwire/shared/adapters/fact-journal/factJournal';
import type { Logger } from '@roomwire/shared/ports/logger';
import { createClosingStack, type ClosingStack } from '@roomwire/shared/runtime/closingStack';
import { defaultLimits, type Collector, type CollectorLimits, type FactSource } from './collect/collector.js';
import { followJournal, type JournalFollower } from './collect/followJournal.js';
import { StreamWriter } from './collect/streamWriter.js';
import type { FactStream } from './facts/factStream.js';
import { messageFacts, outcomeFacts } from './facts/facts.js';
import { openDuckDb } from './store/duckDb.js';
import { FactFolder } from './store/factFolder.js';

export interface AnalyticsSettings {
  /** Of the Parquet files. */
  readonly folder: string;
  /** Retention of facts in days; 0 is unlimited. */
  readonly days: number;
  /** Whether payloads are kept, and not only their size. */
  readonly payloads: boolean;
}

export interface WriterDeps {
  readonly settings: AnalyticsSettings;
  readonly limits: CollectorLimits;
  readonly logger: Logger;
  readonly closing: ClosingStack;
}

export interface StreamFiles {
  readonly stream: FactStream;
  readonly folder: FactFolder;
}

export interface OpenWriter extends StreamFiles {
  readonly writer: StreamWriter;
  readonly collect: (source: FactSource) => Collector;
}

const dayMs = 86_400_000;
/** Of DuckDB, for each stream. */
const writerMemoryMb = 256;

/** The streams that are kept, each in a folder of its name. */
export const analyticsStreams = (folder: string, withPayloads: boolean): readonly StreamFiles[] =>
  [messageFacts(withPayloads), outcomeFacts].map((stream) => ({
    stream,
    folder: new FactFolder(join(folder, stream.name)),
  }));

export const spillFolderOf = (folder: string): string => join(folder, '.spill');

/** What writes the files of each stream. */
export const openWriters = async (deps: WriterDeps): Promise<readonly OpenWriter[]> => {
  const { settings, limits, logger, closing } = deps;
  const keptMs = settings.days === 0 ? undefined : settings.days * dayMs;
  const writers: OpenWriter[] = [];
  for (const { stream, folder } of analyticsStreams(settings.folder, settings.payloads)) {
    const spillFolder = spillFolderOf(settings.folder);
    const duckDb = await openDuckDb({ memoryMb: writerMemoryMb, spillFolder });
    closing.push(async () => duckDb.close());
    const writer = new StreamWriter({ stream, folder, duckDb, limits, keptMs, now: Date.now, logger });
    await writer.open();
    writers.push({ stream, folder, writer, collect: writer.collect.bind(writer) });
  }
  return writers;
};

/** What follows the journal of a service on files; the journal is closed with them. */
export const openJournalFollowers = async (
  journal: FactJournalReader,
  deps: WriterDeps,
): Promise<readonly JournalFollower[]> => {
  const { closing } = deps;
  closing.push(() => journal.close());
  const followers: JournalFollower[] = [];
  for (const writer of await openWriters(deps)) {
    const follower = followJournal({ journal, ...writer });
    closing.push(() => follower.close());
    followers.push(follower);
  }
  return followers;
};

/** Copies new facts from the journal into the files, once. */
export const gatherJournal = async (
  journal: FactJournalReader,
  deps: Pick<WriterDeps, 'settings' | 'logger'>,
): Promise<void> => {
  const closing = createClosingStack();
  try {
    const followers = await openJournalFollowers(journal, { ...deps, limits: defaultLimits, closing });
    for (const follower of followers) {
      await follower.gather();
      await follower.flush();
    }
  } finally {
    await closing.closeAll();
  }
};

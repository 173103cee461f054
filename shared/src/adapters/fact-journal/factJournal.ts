import { type Database, open, type RootDatabase } from 'lmdb';
import { decode, Encoder } from '@msgpack/msgpack';
import { existsSync } from 'node:fs';
import { openDurableEnvironment, type DurableEnvironment } from '../lmdb/durableEnvironment.js';
import { requireWhole } from '../lmdb/lmdbFile.js';
import type { Clock } from '../../ports/clock.js';
import type { Logger } from '../../ports/logger.js';
import { once } from '../../runtime/service.js';
import { createGroupCommit } from '../lmdb/groupCommit.js';
import { systemClock } from '../system/systemClock.js';

/** The layout of the tables; incremented with every change that an older version would misread. */
const dataFormat = 1;
const formatKey = 'dataFormat';

/** When it was appended, milliseconds since 1970, and the fact as MessagePack. */
export type JournalEntry = [at: number, fact: Uint8Array];

export type FactTable = Database<JournalEntry, number>;

export interface JournalTables {
  readonly environment: DurableEnvironment;
  /** By stream, and by number in it. */
  readonly facts: ReadonlyMap<string, FactTable>;
  /** Of each stream the number of the last fact. */
  readonly meta: Database<number, string>;
}

const factTableOptions = (stream: string) => ({
  name: `facts:${stream}`,
  encoding: 'msgpack' as const,
});

export const openJournalTables = (path: string, streams: readonly string[]): JournalTables => {
  const environment = openDurableEnvironment(path);
  const { root } = environment;
  const meta = root.openDB<number, string>('meta', { encoding: 'ordered-binary' });
  const found = meta.get(formatKey);
  if (found === undefined) meta.putSync(formatKey, dataFormat);
  else requireFormat(path, found);
  const facts = streams.map(
    (stream) => [stream, root.openDB<JournalEntry, number>(factTableOptions(stream))] as const,
  );
  return { environment, facts: new Map(facts), meta };
};

const requireFormat = (path: string, found: number | undefined): void => {
  if (found !== dataFormat)
    throw new Error(`The journal ${path} has data format ${found}; this program knows format ${dataFormat}`);
};

export interface FactJournalOptions {
  /** Each counts its facts from 1. */
  readonly streams: readonly string[];
  readonly keptMs: number;
  readonly clock?: Clock;
  readonly logger?: Logger;
  readonly expiryEveryMs?: number;
}

interface Append {
  readonly stream: string;
  readonly at: number;
  readonly value: Uint8Array;
}

/** Limit of facts that wait for the disk; further ones are dropped and counted, so that appends never block. */
const maxWaitingBytes = 64 * 1024 * 1024;
const expiryStep = 1_000;

const encoder = new Encoder();

/**
 * The records of an in-process bus, for readers in other processes, since such a bus stores nothing. Facts are
 * on disk a moment after they were appended; later ones are lost when the process is killed.
 */
export class FactJournal {
  private readonly tables: JournalTables;
  private readonly options: FactJournalOptions;
  private readonly clock: Clock;
  private readonly timer: NodeJS.Timeout;
  private waitingBytes = 0;
  private droppedFacts = 0;
  private isOpen = true;
  private expiring: Promise<void> = Promise.resolve();

  private readonly commits = createGroupCommit<Append, void>({
    transact: (work) => this.tables.environment.transact(work),
    write: (appends) => this.write(appends),
    committed: () => undefined,
    bytesOf: ({ value }) => value.length,
  });

  constructor(tables: JournalTables, options: FactJournalOptions) {
    this.tables = tables;
    this.options = options;
    this.clock = options.clock ?? systemClock;
    const expire = (): void => void (this.expiring = this.expiring.then(() => this.expire()));
    this.timer = setInterval(expire, options.expiryEveryMs ?? 60_000).unref();
    expire();
  }

  /** Number of facts dropped since it was opened, because the disk was too slow or failed. */
  get dropped(): number {
    return this.droppedFacts;
  }

  /** Never blocks and never throws. */
  append(stream: string, fact: readonly unknown[]): void {
    const value = encoder.encode(fact);
    if (!this.isOpen || this.waitingBytes + value.length > maxWaitingBytes) return this.drop(1);
    this.waitingBytes += value.length;
    void this.commits
      .submit({ stream, at: this.clock.now(), value })
      .catch((error: unknown) => this.drop(1, error))
      .finally(() => (this.waitingBytes -= value.length));
  }

  /** Waits for what was appended. */
  readonly close = once(async () => {
    this.isOpen = false;
    clearInterval(this.timer);
    await Promise.all([this.commits.idle(), this.expiring]);
    await this.tables.environment.close();
  });

  /** Within a transaction. */
  private write(appends: readonly Append[]): void[] {
    const { meta, facts } = this.tables;
    const last = new Map<string, number>();
    for (const { stream, at, value } of appends) {
      const number = (last.get(stream) ?? meta.get(stream) ?? 0) + 1;
      last.set(stream, number);
      facts.get(stream)?.putSync(number, [at, value]);
    }
    for (const [stream, number] of last) meta.putSync(stream, number);
    return appends.map(() => undefined);
  }

  private drop(count: number, error?: unknown): void {
    // Logged once per power of ten, since there may be thousands per second.
    this.droppedFacts += count;
    if (/^10*$/.test(String(this.droppedFacts)))
      this.options.logger?.error('Facts for the analytics are lost', { lost: this.droppedFacts, error });
  }

  private async expire(): Promise<void> {
    try {
      // The slot of a reader that was killed during a read would keep pages from being reused.
      this.tables.environment.root.readerCheck();
      for (const table of this.tables.facts.values()) while (await this.expireStep(table));
    } catch (error) {
      this.options.logger?.error('Old facts cannot be removed', { error });
    }
  }

  /** Whether there may be more of them. */
  private async expireStep(table: JournalTables['facts'] extends ReadonlyMap<string, infer T> ? T : never) {
    const cutoff = this.clock.now() - this.options.keptMs;
    const due: number[] = [];
    for (const { key, value } of table.getRange({ limit: expiryStep })) {
      if (value[0] >= cutoff) break;
      due.push(key);
    }
    if (due.length === 0 || !this.isOpen) return false;
    await this.tables.environment.transact(() => due.forEach((number) => void table.removeSync(number)));
    return due.length === expiryStep;
  }
}

interface Files {
  file(name: string): string;
}

/** In the data folder, in a file that other processes may read meanwhile. */
export const openFactJournal = (folder: Files, options: FactJournalOptions): FactJournal =>
  new FactJournal(openJournalTables(folder.file('analytics.lmdb'), options.streams), options);

export interface JournalFact {
  readonly number: number;
  readonly fact: readonly unknown[];
}

/** Reads a journal of facts while another process writes it. */
export interface FactJournalReader {
  /** In order, from a number on: those that have not expired, at most `limit`. */
  read(stream: string, from: number, limit: number): readonly JournalFact[];
  /** The number of the last fact of a stream, also when that has expired; 0 before the first. */
  last(stream: string): number;
  close(): Promise<void>;
}

/** Undefined where there is none. */
export const openFactJournalReader = (path: string): FactJournalReader | undefined => {
  if (!existsSync(path)) return undefined;
  requireWhole(path);
  const root: RootDatabase = open({ path, readOnly: true });
  const meta = root.openDB<number, string>('meta', { encoding: 'ordered-binary' });
  requireFormat(path, meta.get('dataFormat'));
  const tables = new Map<string, FactTable>();
  const tableOf = (stream: string): FactTable => {
    const table = tables.get(stream) ?? root.openDB<JournalEntry, number>(factTableOptions(stream));
    tables.set(stream, table);
    return table;
  };
  return {
    read: (stream, from, limit) => [
      ...tableOf(stream)
        .getRange({ start: from, limit })
        .map(({ key, value: [, fact] }) => ({ number: key, fact: decode(fact) as readonly unknown[] })),
    ],
    last: (stream) => meta.get(stream) ?? 0,
    close: () => root.close(),
  };
};

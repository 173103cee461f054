import type { Database } from 'lmdb';
import { openDurableEnvironment, type DurableEnvironment } from '../lmdb/durableEnvironment.js';
import { auditVersion } from '../../wire/audit/auditKeys.js';
import {
  auditPositionOf,
  type AuditEntry,
  type AuditIndex,
  type AuditPosition,
  type AuditRange,
} from '../../ports/auditIndex.js';
import { EngineUnavailable } from '../../ports/errors.js';
import type { LogOrigin, LogPosition } from '../../ports/eventLog.js';
import { once } from '../../runtime/service.js';
import { mappedInSlices, workSlices } from '../../runtime/workSlices.js';
import { PositionWaiters } from '../view-store/positionWaiters.js';

/** A key's number, then time and position of an entry with that key. */
export type IndexKey = [key: number, time: number, position: string];

/** The tables of the index, all in one LMDB file. */
export interface AuditTables {
  readonly environment: DurableEnvironment;
  /** Position to the entry, as JSON. */
  readonly entries: Database<string, string>;
  readonly index: Database<boolean, IndexKey>;
  /** Keys, with their organization, to short numbers, which keep the index small. */
  readonly numbers: Database<number, string>;
  /** Positions of unread entries. */
  readonly unread: Database<boolean, string>;
  readonly state: Database<string | number, string>;
}

const openAuditTables = (file: string): AuditTables => {
  const environment = openDurableEnvironment(file);
  const { root } = environment;
  return {
    environment,
    entries: root.openDB('entries', { encoding: 'string' }),
    index: root.openDB('index', { encoding: 'ordered-binary' }),
    numbers: root.openDB('numbers', { encoding: 'ordered-binary' }),
    unread: root.openDB('unread', { encoding: 'ordered-binary' }),
    state: root.openDB('state', { encoding: 'ordered-binary' }),
  };
};

const clearTables = ({ entries, index, numbers, unread, state }: AuditTables): void => {
  for (const table of [entries, index, numbers, unread, state]) table.clearSync();
};

/** Raise it when the layout of the file changes. */
const fileFormat = 2;
const version = `${fileFormat}/${auditVersion}`;

/** An answer ends at this size. */
const maxCharacters = 4 * 1024 * 1024;

/** The audit index in a file of the data folder, not held in memory. */
class EmbeddedAuditIndex implements AuditIndex {
  private readonly tables: AuditTables;
  private readonly waiters = new PositionWaiters();
  private position: LogPosition | undefined;
  private isOpen = true;

  constructor(tables: AuditTables) {
    this.tables = tables;
    this.position = tables.state.get('checkpoint') as LogPosition | undefined;
  }

  async record(entries: readonly AuditEntry[], position: LogPosition, origin?: LogOrigin): Promise<void> {
    const texts = await mappedInSlices(entries, (entry) => JSON.stringify(entry));
    await this.transact(() => {
      for (const [at, entry] of entries.entries()) this.put(entry, texts[at] as string);
      if (this.position === undefined || position > this.position)
        this.tables.state.putSync('checkpoint', position);
      if (origin !== undefined) this.tables.state.putSync('origin', JSON.stringify(origin));
    });
    if (this.position === undefined || position > this.position) this.position = position;
    this.waiters.reached(this.position);
  }

  async find(range: AuditRange): Promise<readonly AuditEntry[]> {
    this.assertOpen();
    const { index, numbers } = this.tables;
    const number = numbers.get(numbered(range.organizationId, range.key));
    if (number === undefined) return [];
    return this.read([...index.getKeys(keyRange(number, range))].map(([, , position]) => position));
  }

  async findUnread(after: LogPosition | undefined, limit: number): Promise<readonly AuditEntry[]> {
    this.assertOpen();
    const behind = { start: after ?? firstPosition, exclusiveStart: after !== undefined, limit };
    return this.read([...this.tables.unread.getKeys(behind)]);
  }

  async checkpoint(): Promise<LogPosition | undefined> {
    this.assertOpen();
    return this.position;
  }

  async origin(): Promise<LogOrigin | undefined> {
    this.assertOpen();
    const origin = this.tables.state.get('origin') as string | undefined;
    return origin === undefined ? undefined : (JSON.parse(origin) as LogOrigin);
  }

  async reached(position: LogPosition, withinMs: number): Promise<boolean> {
    this.assertOpen();
    if (this.position !== undefined && position <= this.position) return true;
    return this.waiters.wait(position, withinMs);
  }

  async clear(): Promise<void> {
    await this.transact(() => {
      clearTables(this.tables);
      this.tables.state.putSync('version', version);
    });
    this.position = undefined;
  }

  readonly close = once(async () => {
    this.isOpen = false;
    this.waiters.close();
    await this.tables.environment.close();
  });

  /** As many of the entries as an answer holds. */
  private async read(positions: readonly LogPosition[]): Promise<readonly AuditEntry[]> {
    const found: AuditEntry[] = [];
    const slices = workSlices();
    let characters = 0;
    for (const position of positions) {
      if (slices.isOver()) await slices.next();
      this.assertOpen();
      const text = this.tables.entries.get(position);
      if (text === undefined) continue;
      found.push(JSON.parse(text) as AuditEntry);
      characters += text.length;
      if (characters >= maxCharacters) break;
    }
    return found;
  }

  /** Within a transaction. */
  private put(entry: AuditEntry, text: string): void {
    const { entries, index, unread } = this.tables;
    const { time, position } = auditPositionOf(entry.event);
    const { organizationId } = entry.event.metadata;
    if (entry.isUnread && entries.doesExist(position)) return;
    if (entry.isUnread) unread.putSync(position, true);
    else unread.removeSync(position);
    entries.putSync(position, text);
    for (const key of [undefined, ...entry.keys])
      index.putSync([this.numberOf(numbered(organizationId, key)), time, position], true);
  }

  private numberOf(key: string): number {
    const { numbers, state } = this.tables;
    const number = numbers.get(key);
    if (number !== undefined) return number;
    const next = ((state.get('numbers') as number | undefined) ?? 0) + 1;
    state.putSync('numbers', next);
    numbers.putSync(key, next);
    return next;
  }

  private async transact(work: () => void): Promise<void> {
    this.assertOpen();
    await this.tables.environment.transact(work).catch((cause: unknown) => {
      throw new EngineUnavailable('audit index', { cause });
    });
  }

  private assertOpen(): void {
    if (!this.isOpen) throw new EngineUnavailable('audit index');
  }
}

/** LMDB's bound on keys is 1978 bytes, which this many characters never exceed. */
const longestKey = 480;

const numbered = (organizationId: string, key = ''): string =>
  `${organizationId} ${key}`.slice(0, longestKey);

/** Sort before and after every text. */
const [firstPosition, lastPosition] = ['', '\u{10ffff}'];

const keyRange = (
  number: number,
  { from = 0, to = Number.MAX_SAFE_INTEGER, after, order, limit }: AuditRange,
) => {
  const oldest: AuditPosition = { time: from, position: firstPosition };
  const newest: AuditPosition = { time: to, position: lastPosition };
  const keyOf = ({ time, position }: AuditPosition): IndexKey => [number, time, position];
  const isWithin = after !== undefined && after.time >= from && after.time <= to;
  const [first, last] = order === 'oldest first' ? [oldest, newest] : [newest, oldest];
  return {
    start: keyOf(isWithin ? after : first),
    end: keyOf(last),
    exclusiveStart: isWithin,
    reverse: order === 'newest first',
    limit,
  };
};

/** The history of one process, in `audit.lmdb` in the data folder. */
export const openEmbeddedAuditIndex = async (folder: { file(name: string): string }): Promise<AuditIndex> => {
  const tables = openAuditTables(folder.file('audit.lmdb'));
  const index = new EmbeddedAuditIndex(tables);
  if (tables.state.get('version') !== version) await index.clear();
  return index;
};

import type { NewRollRecord, Roll as RollIdentity } from '@roomwire/shared/ports/roomEventStore';
import type { RecordWriter } from './recordWriter.js';
import type { Roll, RollChange } from './roll.js';
import { encodeChanges, encodeWhole } from './rollRecords.js';

export interface RollLogDeps {
  readonly id: RollIdentity;
  readonly roll: Roll;
  readonly term: number;
  readonly writer: RecordWriter;
  /** Of the last record. */
  readonly revision: number;
  /** Records that are there. */
  readonly records: number;
  /** Further changes are stored. */
  readonly onStored: () => void;
  /** Another process owns the roll. */
  readonly onOvertaken: () => void;
}

/** Changes in one record. */
const changesTogether = 500;
/** After so many records the roll is written as a whole. */
const longestLog = 100;

/** Stores the changes of a roll, in their order, one record at a time. */
export class RollLog {
  /** Events up to this one are stored. */
  durable: number;
  private readonly deps: RollLogDeps;
  private changes: RollChange[] = [];
  private revision: number;
  private records: number;
  private writing: Promise<void> | undefined;
  private isStopped = false;
  /** Whether the last record says that the roll is idle. */
  private isIdle = false;

  constructor(deps: RollLogDeps) {
    this.deps = deps;
    this.durable = deps.roll.sequence;
    this.revision = deps.revision;
    this.records = deps.records;
  }

  /** Whether all of it is stored, and says so where nobody is present and nothing waits. */
  get isSettled(): boolean {
    return this.changes.length === 0 && this.writing === undefined && (this.isIdle || this.revision === 0);
  }

  get hasUnstored(): boolean {
    return this.changes.length > 0;
  }

  /** Stored with the next `flush`. */
  add(change: RollChange): void {
    this.changes.push(change);
  }

  /** Resolves when all changes up to now are stored, or the log was stopped. */
  flush(): Promise<void> {
    return (this.writing ??= this.writeAll());
  }

  /** It writes no more. */
  stop(): void {
    this.isStopped = true;
  }

  private async writeAll(): Promise<void> {
    // What happens in the same turn is stored together.
    await Promise.resolve();
    while (!this.isStopped && (this.changes.length > 0 || this.becomesIdle)) {
      await (this.becomesIdle || this.records >= longestLog ? this.writeWhole() : this.writeChanges());
      if (!this.isStopped) this.deps.onStored();
    }
    // In the same turn in which nothing was left: what comes from now on begins another run.
    this.writing = undefined;
  }

  private get becomesIdle(): boolean {
    const { roll } = this.deps;
    return roll.isEmpty && (this.changes.length > 0 || (this.revision > 0 && !this.isIdle));
  }

  private async writeChanges(): Promise<void> {
    const changes = this.changes.splice(0, changesTogether);
    const events = changes.flatMap((change) => (change.kind === 'event' ? [change.event.sequence] : []));
    if (!(await this.append(encodeChanges(changes), false, undefined))) return;
    this.durable = events.at(-1) ?? this.durable;
    this.isIdle = false;
  }

  /** It has the changes that are not stored yet. */
  private async writeWhole(): Promise<void> {
    const { roll } = this.deps;
    const parts = encodeWhole(roll);
    const { sequence, isEmpty } = roll;
    this.changes = [];
    const from = this.revision + 1;
    for (const [index, content] of parts.entries()) {
      const isLast = index === parts.length - 1;
      if (!(await this.append(content, isEmpty && isLast, isLast ? from : undefined))) return;
    }
    this.records = parts.length;
    this.durable = sequence;
    this.isIdle = isEmpty;
  }

  private async append(content: Uint8Array, isIdle: boolean, from: number | undefined): Promise<boolean> {
    const { id, term, writer, onOvertaken } = this.deps;
    const revision = this.revision + 1;
    const record: NewRollRecord = { roll: id, revision, term, content, isIdle, from };
    const write = await writer.append(record, () => !this.isStopped);
    if (write === 'overtaken') {
      if (!this.isStopped) onOvertaken();
      this.isStopped = true;
      return false;
    }
    this.revision = revision;
    this.records += 1;
    return true;
  }
}

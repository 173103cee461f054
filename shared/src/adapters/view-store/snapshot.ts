import type { Database } from 'lmdb';
import type { LogOrigin, LogPosition } from '../../ports/eventLog.js';
import { workSlices } from '../../runtime/workSlices.js';
import { openDurableEnvironment, type DurableEnvironment } from '../lmdb/durableEnvironment.js';

/** A writer's count on disk. */
export type UsageKey = readonly [month: string, projectId: string, writer: string];

export interface SnapshotContents {
  readonly checkpoint: LogPosition | undefined;
  readonly origin: LogOrigin | undefined;
  /** Whether a part of the past is missing. */
  readonly isFilling: boolean;
  readonly documents: Iterable<{ readonly view: string; readonly id: string; readonly document: unknown }>;
}

/** The read models on disk, in one LMDB file: documents as JSON text, and the checkpoint that they belong to. */
export class Snapshot {
  private readonly version: string;
  private readonly environment: DurableEnvironment;
  private readonly documents: Database<string, [view: string, id: string]>;
  private readonly state: Database<string, string>;
  private readonly uses: Database<string, string>;
  private readonly usage: Database<string, [...UsageKey]>;

  /** `version`: what this program writes; contents of another version are ignored. */
  constructor(file: string, version: string) {
    this.version = version;
    this.environment = openDurableEnvironment(file);
    const { root } = this.environment;
    this.documents = root.openDB('documents', { encoding: 'string' });
    this.state = root.openDB('state', { encoding: 'string' });
    this.uses = root.openDB('last_uses', { encoding: 'string' });
    this.usage = root.openDB('usage', { encoding: 'string' });
  }

  /** Undefined where there is nothing, or nothing of this version. */
  read(): SnapshotContents | undefined {
    if (this.state.get('version') !== this.version) return undefined;
    const documents = this.documents
      .getRange()
      .map(({ key: [view, id], value }) => ({ view, id, document: JSON.parse(value) as unknown }));
    const isFilling = this.state.get('filling') !== undefined;
    const origin = this.state.get('origin');
    return {
      ...{ checkpoint: this.state.get('checkpoint'), isFilling, documents },
      origin: origin === undefined ? undefined : (JSON.parse(origin) as LogOrigin),
    };
  }

  /** Of any version: last uses are not read models. */
  readUses(): Iterable<{ readonly id: string; readonly at: string }> {
    return this.uses.getRange().map(({ key, value }) => ({ id: key, at: value }));
  }

  readUsage(): Iterable<readonly [key: UsageKey, messages: number]> {
    return this.usage.getRange().map(({ key, value }) => [key, Number(value)] as const);
  }

  /** All or nothing: after a crash or a failure the previous snapshot is there. */
  async write(changes: PendingChanges): Promise<void> {
    await this.environment.transact(() => this.writeInSlices(changes));
  }

  close(): Promise<void> {
    return this.environment.close();
  }

  private async writeInSlices(changes: PendingChanges): Promise<void> {
    if (changes.cleared) await this.removeAll();
    const slices = workSlices();
    for (const [view, id, document] of changes.documents()) {
      if (slices.isOver()) await slices.next();
      if (document === undefined) void this.documents.remove([view, id]);
      else void this.documents.put([view, id], JSON.stringify(document));
    }
    for (const [id, at] of changes.uses) {
      if (slices.isOver()) await slices.next();
      if (at === undefined) void this.uses.remove(id);
      else void this.uses.put(id, at);
    }
    for (const [key, messages] of changes.usage()) {
      if (messages === undefined) void this.usage.remove([...key]);
      else void this.usage.put([...key], String(messages));
    }
    void this.state.put('version', this.version);
    if (changes.checkpoint !== undefined) void this.state.put('checkpoint', changes.checkpoint);
    if (changes.origin !== undefined) void this.state.put('origin', JSON.stringify(changes.origin));
    if (changes.isFilling === true) void this.state.put('filling', 'yes');
    if (changes.isFilling === false) void this.state.remove('filling');
  }

  private async removeAll(): Promise<void> {
    await this.documents.clearAsync();
    await this.state.clearAsync();
  }
}

/** Changes in memory that are not on disk yet: the last state of each document, undefined where it was removed. */
export class PendingChanges {
  isEmpty = true;
  /** Whether everything on disk is removed first. */
  cleared = false;
  checkpoint: LogPosition | undefined;
  origin: LogOrigin | undefined;
  /** Undefined where it stays as it is. */
  isFilling: boolean | undefined;
  /** Last uses by id; undefined removes one. */
  readonly uses = new Map<string, string | undefined>();
  private byView = new Map<string, Map<string, unknown>>();
  /** Totals by key; undefined removes one. */
  private readonly counts = new Map<string, readonly [key: UsageKey, messages: number | undefined]>();

  record(view: string, id: string, document: unknown): void {
    let documents: Map<string, unknown> | undefined = this.byView.get(view);
    if (!documents) {
      documents = new Map();
      this.byView.set(view, documents);
    }
    documents.set(id, document);
  }

  recordUse(id: string, at: string | undefined): void {
    this.uses.set(id, at);
    this.isEmpty = false;
  }

  recordUsage(key: UsageKey, messages: number | undefined): void {
    this.counts.set(key.join(' '), [key, messages]);
    this.isEmpty = false;
  }

  moveTo(checkpoint: LogPosition, origin?: LogOrigin): void {
    this.checkpoint = checkpoint;
    this.origin = origin;
    this.isEmpty = false;
  }

  /** Clears the read models; last uses and usage stay, because no log can bring them back. */
  clear(isFilling: boolean | undefined): void {
    this.cleared = true;
    this.byView = new Map();
    this.checkpoint = undefined;
    this.origin = undefined;
    this.isFilling = isFilling;
    this.isEmpty = false;
  }

  filled(): void {
    this.isFilling = false;
    this.isEmpty = false;
  }

  /** Documents were recorded that belong to no batch. */
  besides(): void {
    this.isEmpty = false;
  }

  *documents(): Iterable<readonly [view: string, id: string, document: unknown]> {
    for (const [view, documents] of this.byView)
      for (const [id, document] of documents) yield [view, id, document];
  }

  usage(): Iterable<readonly [key: UsageKey, messages: number | undefined]> {
    return this.counts.values();
  }

  /** These changes with the later ones on top. */
  followedBy(later: PendingChanges): PendingChanges {
    if (later.cleared) this.clear(later.isFilling);
    else this.isFilling = later.isFilling ?? this.isFilling;
    for (const [id, at] of later.uses) this.recordUse(id, at);
    for (const [key, messages] of later.usage()) this.recordUsage(key, messages);
    for (const [view, id, document] of later.documents()) this.record(view, id, document);
    if (later.checkpoint !== undefined) this.moveTo(later.checkpoint, later.origin ?? this.origin);
    return this;
  }
}

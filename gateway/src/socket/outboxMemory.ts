import type { LimitReports } from '@roomwire/shared/runtime/limitReports';

/** An outbox, as far as its memory is concerned. */
export interface HoldingOutbox {
  /** Empty before authentication. */
  readonly projectId: string;
  /** Written bytes that the peer has not received. */
  readonly unreadBytes: number;
  /** Its reader is too slow: ends the connection. */
  giveWay(): void;
}

/** One write. Sockets that write the same bytes have the same object. */
export interface WrittenBytes {
  readonly size: number;
}

export interface OutboxMemoryDeps {
  readonly bytes: number;
  readonly limits: Pick<LimitReports, 'reached'>;
}

/** Less than this is not worth counting: most readers are never behind by more. */
export const noticedBytes = 16 * 1024;
/** Places of what has been received. */
const forgottenAtOnce = 100;
/** Measured: for a write that waits, and for its buffer. */
const writeBytes = 100;
const bufferBytes = 150;
/** After so much more than at the last look the next one is due. */
const lookAfter = 1 / 16;
const sweepMs = 1_000;

/**
 * [WS-MEM-4] The memory that slow readers take, all together. Sockets share the bytes of a message that many of them wait for, so
 * these are counted once. Beyond the budget the slowest readers of the project that holds the most are given up.
 */
export class OutboxMemory {
  private readonly deps: OutboxMemoryDeps;
  private readonly readers = new Set<SlowReader>();
  private written = 0;
  private isLookDue = false;
  private sweeper: NodeJS.Timeout | undefined;

  constructor(deps: OutboxMemoryDeps) {
    this.deps = deps;
  }

  /** Readers that were behind lately. */
  get size(): number {
    return this.readers.size;
  }

  /** For an outbox whose reader is behind for the first time. */
  reader(outbox: HoldingOutbox): SlowReader {
    return new SlowReader(outbox, this);
  }

  /** Something waits for the reader. */
  entered(reader: SlowReader): void {
    this.readers.add(reader);
    this.sweeper ??= setInterval(() => this.look(), sweepMs).unref();
  }

  ended(reader: SlowReader): void {
    if (this.readers.delete(reader)) this.restIfUnused();
  }

  wrote(bytes: number): void {
    this.written += bytes;
    if (this.isLookDue || this.written < this.deps.bytes * lookAfter) return;
    // Not now, since others are being served.
    this.isLookDue = true;
    setImmediate(() => this.look());
  }

  private look(): void {
    this.isLookDue = false;
    this.written = 0;
    let atMost = 0;
    for (const reader of this.readers) {
      reader.trim(reader.outbox.unreadBytes);
      if (reader.isEmpty) this.readers.delete(reader);
      else atMost += reader.bytes;
    }
    this.restIfUnused();
    if (atMost > this.deps.bytes) this.makeRoom();
  }

  private makeRoom(): void {
    const held = new HeldBytes(this.readers);
    while (held.total > this.deps.bytes) {
      const reader = held.slowest();
      if (reader === undefined) return;
      held.remove(reader);
      this.deps.limits.reached('outboxMemory', { projectId: reader.outbox.projectId });
      reader.outbox.giveWay();
    }
  }

  private restIfUnused(): void {
    if (this.readers.size > 0) return;
    clearInterval(this.sweeper);
    this.sweeper = undefined;
  }
}

/** What waits for one reader, the oldest first. */
export class SlowReader {
  readonly outbox: HoldingOutbox;
  private readonly memory: Pick<OutboxMemory, 'entered' | 'ended' | 'wrote'>;
  private paths: WrittenBytes[] = [];
  private first = 0;
  private size = 0;

  constructor(outbox: HoldingOutbox, memory: Pick<OutboxMemory, 'entered' | 'ended' | 'wrote'>) {
    this.outbox = outbox;
    this.memory = memory;
  }

  get isEmpty(): boolean {
    return this.first === this.paths.length;
  }

  /** With what they cost, as if no other socket had the same. */
  get bytes(): number {
    return this.size + (this.paths.length - this.first) * (writeBytes + bufferBytes);
  }

  get waiting(): readonly WrittenBytes[] {
    return this.first === 0 ? this.paths : this.paths.slice(this.first);
  }

  /** With this write, so many bytes are unread. */
  waitsFor(path: WrittenBytes, unread: number): void {
    if (this.isEmpty) this.memory.entered(this);
    this.paths.push(path);
    this.size += path.size;
    this.trim(unread);
    this.memory.wrote(path.size + writeBytes);
  }

  ended(): void {
    this.memory.ended(this);
  }

  /** Forgets what the peer has received. */
  trim(unread: number): void {
    let { first, size } = this;
    const { paths } = this;
    for (; first < paths.length; first++) {
      const rest = size - (paths[first] as WrittenBytes).size;
      if (rest < unread) break;
      size = rest;
    }
    this.size = size;
    this.first = first;
    if (first < forgottenAtOnce && first < paths.length) return;
    paths.splice(0, first);
    this.first = 0;
  }
}

/** What readers hold, with each buffer once. */
class HeldBytes {
  total = 0;
  private readonly holders = new Map<WrittenBytes, number>();
  private readonly projects = new Map<string, { bytes: number; readonly readers: SlowReader[] }>();

  constructor(readers: Iterable<SlowReader>) {
    for (const reader of readers) this.add(reader);
    for (const project of this.projects.values())
      project.readers.sort((one, other) => one.bytes - other.bytes);
  }

  /** Of the project that holds the most. */
  slowest(): SlowReader | undefined {
    let most: { bytes: number; readonly readers: SlowReader[] } | undefined;
    for (const project of this.projects.values())
      if (project.readers.length > 0 && (most === undefined || project.bytes > most.bytes)) most = project;
    return most?.readers.pop();
  }

  remove({ outbox, waiting }: SlowReader): void {
    let bytes = waiting.length * writeBytes;
    for (const path of waiting) {
      const others = (this.holders.get(path) ?? 1) - 1;
      this.holders.set(path, others);
      if (others === 0) bytes += path.size + bufferBytes;
    }
    this.change(outbox.projectId, -bytes);
  }

  private add(reader: SlowReader): void {
    const { outbox, waiting } = reader;
    let bytes = waiting.length * writeBytes;
    for (const path of waiting) {
      const others = this.holders.get(path) ?? 0;
      this.holders.set(path, others + 1);
      if (others === 0) bytes += path.size + bufferBytes;
    }
    this.change(outbox.projectId, bytes);
    this.projects.get(outbox.projectId)?.readers.push(reader);
  }

  private change(projectId: string, bytes: number): void {
    const project = this.projects.get(projectId) ?? { bytes: 0, readers: [] };
    this.projects.set(projectId, project);
    project.bytes += bytes;
    this.total += bytes;
  }
}

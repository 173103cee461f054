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
  /** How many slow readers wait for it; kept by the memory. */
  readers: number;
  /** The project that it counts for while one does. */
  countedFor: ProjectReaders | undefined;
}

/** The slow readers of a project, and what waits for them. */
interface ProjectReaders {
  readonly projectId: string;
  readonly readers: Set<SlowReader>;
  bytes: number;
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
 * these are counted once. Beyond the budget the slowest readers of the project that holds the most are given up. Every write is
 * counted when it begins to wait and when it ends, so that looking costs no more the more there are.
 */
export class OutboxMemory {
  private readonly deps: OutboxMemoryDeps;
  private readonly readers = new Set<SlowReader>();
  private readonly projects = new Map<string, ProjectReaders>();
  private total = 0;
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

  /** What waits for all readers, at the most: it may have been received since the last look. */
  get bytes(): number {
    return this.total;
  }

  /** For an outbox whose reader is behind for the first time. */
  reader(outbox: HoldingOutbox): SlowReader {
    return new SlowReader(outbox, this);
  }

  /** Something waits for the reader. Returns its project. */
  entered(reader: SlowReader): ProjectReaders {
    const { projectId } = reader.outbox;
    const project = this.projects.get(projectId) ?? { projectId, readers: new Set(), bytes: 0 };
    this.projects.set(projectId, project);
    project.readers.add(reader);
    this.readers.add(reader);
    this.sweeper ??= setInterval(() => this.look(), sweepMs).unref();
    return project;
  }

  /** Nothing waits for it any more. */
  left(reader: SlowReader): void {
    if (!this.readers.delete(reader)) return;
    const { projectId } = reader.outbox;
    const project = this.projects.get(projectId);
    project?.readers.delete(reader);
    if (project?.readers.size === 0) this.projects.delete(projectId);
    if (this.readers.size > 0) return;
    clearInterval(this.sweeper);
    this.sweeper = undefined;
  }

  /** One more reader waits for a write. */
  hold(path: WrittenBytes, project: ProjectReaders): void {
    this.change(project, writeBytes);
    this.wrote(path.size + writeBytes);
    if (path.readers++ > 0) return;
    path.countedFor = project;
    this.change(project, path.size + bufferBytes);
  }

  /** One reader fewer does. */
  release(path: WrittenBytes, project: ProjectReaders): void {
    this.change(project, -writeBytes);
    if (--path.readers > 0 || path.countedFor === undefined) return;
    this.change(path.countedFor, -path.size - bufferBytes);
    path.countedFor = undefined;
  }

  private change(project: ProjectReaders, bytes: number): void {
    project.bytes += bytes;
    this.total += bytes;
  }

  private wrote(bytes: number): void {
    this.written += bytes;
    if (this.isLookDue || this.written < this.deps.bytes * lookAfter) return;
    // Not now, since others are being served.
    this.isLookDue = true;
    setImmediate(() => this.look());
  }

  private look(): void {
    this.isLookDue = false;
    this.written = 0;
    for (const reader of this.readers) {
      reader.trim(reader.outbox.unreadBytes);
      if (reader.isEmpty) this.left(reader);
    }
    if (this.total > this.deps.bytes) this.makeRoom();
  }

  private makeRoom(): void {
    const slowestLast = new Map<ProjectReaders, SlowReader[]>();
    while (this.total > this.deps.bytes) {
      const project = this.largestProject();
      if (project === undefined) return;
      const readers =
        slowestLast.get(project) ?? [...project.readers].sort((one, other) => one.bytes - other.bytes);
      slowestLast.set(project, readers);
      const reader = readers.pop();
      if (reader === undefined) return;
      this.deps.limits.reached('outboxMemory', { projectId: project.projectId });
      reader.outbox.giveWay();
      reader.ended();
    }
  }

  private largestProject(): ProjectReaders | undefined {
    let largest: ProjectReaders | undefined;
    for (const project of this.projects.values())
      if (largest === undefined || project.bytes > largest.bytes) largest = project;
    return largest;
  }
}

/** What waits for one reader, the oldest first. */
export class SlowReader {
  readonly outbox: HoldingOutbox;
  private readonly memory: Pick<OutboxMemory, 'entered' | 'left' | 'hold' | 'release'>;
  private paths: WrittenBytes[] = [];
  private first = 0;
  private size = 0;
  private project: ProjectReaders | undefined;

  constructor(outbox: HoldingOutbox, memory: Pick<OutboxMemory, 'entered' | 'left' | 'hold' | 'release'>) {
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

  /** With this write, so many bytes are unread. */
  waitsFor(path: WrittenBytes, unread: number): void {
    if (this.project === undefined || this.isEmpty) this.project = this.memory.entered(this);
    this.paths.push(path);
    this.size += path.size;
    this.memory.hold(path, this.project);
    this.trim(unread);
  }

  /** Nothing waits for it any more. */
  ended(): void {
    this.trim(0);
    this.memory.left(this);
  }

  /** Forgets what the peer has received. */
  trim(unread: number): void {
    const { paths, memory, project } = this;
    let { first, size } = this;
    for (; first < paths.length; first++) {
      const path = paths[first] as WrittenBytes;
      if (size - path.size < unread) break;
      size -= path.size;
      if (project !== undefined) memory.release(path, project);
    }
    this.size = size;
    this.first = first;
    if (first < forgottenAtOnce && first < paths.length) return;
    paths.splice(0, first);
    this.first = 0;
  }
}

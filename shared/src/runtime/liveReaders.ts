import type { RecordVersions } from '../wire/bus/channel.js';
import { FailureDetector } from './failureDetector.js';

export interface LiveReadersOptions {
  /** A reader that has been silent for this long is gone. Longer than a process is ever suspended and goes on reading. */
  readonly silenceMs: number;
  /** For this long after the own announcement has come back, this process is considered to listen. */
  readonly readingMs: number;
  /** Until it has listened for this long, it may not have heard of all. */
  readonly settlingMs: number;
}

/** The newest version that a process reads, by topic. */
export type ReadVersions = Readonly<Record<string, number>>;

/**
 * What the processes on a bus read, by what they announce. Where that is not known, readers are taken for those of the previous
 * release. Times are milliseconds of a monotonic clock.
 */
export class LiveReaders {
  private readonly options: LiveReadersOptions;
  private readonly detector: FailureDetector;
  private readonly announced = new Map<string, ReadVersions>();

  constructor(options: LiveReadersOptions) {
    this.options = options;
    this.detector = new FailureDetector(options);
  }

  ownReturned(now: number): void {
    this.detector.ownHeartbeatReturned(now);
  }

  /** A process that reads nothing any more has ended. */
  heard(reader: string, reads: ReadVersions, now: number): void {
    if (Object.keys(reads).length === 0) return this.forget(reader);
    this.detector.heard(reader, now);
    this.announced.set(reader, reads);
  }

  /** Returns those that were silent for too long. */
  forgetSilent(now: number): readonly string[] {
    const silent = this.detector.failed(now);
    for (const reader of silent) this.forget(reader);
    return silent;
  }

  /** The newest version that all readers of the topic read, and at least the one that the previous release does. */
  versionFor(topic: string, { newest, previous }: RecordVersions, now: number): number {
    if (this.detector.readingTime(now) < this.options.settlingMs) return previous;
    const read = [...this.announced.values()].flatMap((reads) => reads[topic] ?? []);
    return read.length === 0 ? previous : Math.max(previous, Math.min(newest, ...read));
  }

  private forget(reader: string): void {
    this.detector.forget(reader);
    this.announced.delete(reader);
  }
}

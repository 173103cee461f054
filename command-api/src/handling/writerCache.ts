import type { DomainEvent } from '@roomwire/shared/domain/events';
import { limitTable } from '@roomwire/shared/wire/limits/limitTable';
import type { Decided, StreamWriter, Submission } from './streamWriter.js';
import type { Decider } from './writeModel.js';

export interface WriterCacheBounds {
  readonly streams: number;
  /** Of all states together, about. */
  readonly bytes: number;
}

interface Kept {
  readonly writer: StreamWriter;
  /** What the total has of it. */
  bytes: number;
}

/** The writers of streams with their folded states: those that were used longest ago go first, and no busy one does. */
export class WriterCache {
  private readonly kept = new Map<string, Kept>();
  private readonly open: (stream: string) => StreamWriter;
  private readonly most: WriterCacheBounds;
  private bytes = 0;

  constructor(
    open: (stream: string) => StreamWriter,
    most: WriterCacheBounds = {
      streams: limitTable.cachedStreams.value,
      bytes: limitTable.cachedStreamBytes.value,
    },
  ) {
    this.open = open;
    this.most = most;
  }

  async submit<State, Command, Event extends DomainEvent, Result>(
    stream: string,
    decider: Decider<State, Command, Event>,
    submission: Submission<State, Event, Result>,
  ): Promise<Decided<Result>> {
    const kept = this.kept.get(stream) ?? { writer: this.open(stream), bytes: 0 };
    this.kept.delete(stream);
    this.kept.set(stream, kept);
    try {
      return await kept.writer.submit(decider, submission);
    } finally {
      this.weigh(stream, kept);
      this.shrink();
    }
  }

  private weigh(stream: string, kept: Kept): void {
    if (this.kept.get(stream) !== kept) return;
    const { bytes } = kept.writer;
    this.bytes += bytes - kept.bytes;
    kept.bytes = bytes;
  }

  /** A state that is too large by itself stays until another stream is used: to fold it again for each command helps nobody. */
  private shrink(): void {
    let others = this.kept.size - 1;
    for (const [stream, { writer, bytes }] of this.kept) {
      const fits = this.kept.size <= this.most.streams && this.bytes <= this.most.bytes;
      if (fits || others === 0) return;
      others -= 1;
      if (!writer.idle) continue;
      this.kept.delete(stream);
      this.bytes -= bytes;
    }
  }
}

import type { Logger } from '@roomwire/shared/ports/logger';
import type { MetricSink } from '@roomwire/shared/ports/metrics';
import type { FactStream } from '../facts/factStream.js';
import { byPartition, coverageOf, nextMerge } from '../store/coverage.js';
import type { DuckDb } from '../store/duckDb.js';
import { FactFiles, type Segment } from '../store/factFiles.js';
import type { FactFolder } from '../store/factFolder.js';
import { dropOldFacts } from '../store/retention.js';
import { Collector, type CollectorLimits, type FactSource } from './collector.js';

interface StreamWriterDeps {
  readonly stream: FactStream;
  readonly folder: FactFolder;
  readonly duckDb: DuckDb;
  readonly limits: CollectorLimits;
  /** Facts older than this are taken out; undefined keeps them. */
  readonly keptMs: number | undefined;
  readonly now: () => number;
  readonly logger: Logger;
}

const hourMs = 3_600_000;

/** Writes the files of one stream, and keeps them few and young enough. */
export class StreamWriter {
  private readonly deps: StreamWriterDeps;
  private readonly files: FactFiles;
  private collector: Collector | undefined;
  private lastDrop = Number.NEGATIVE_INFINITY;

  constructor(deps: StreamWriterDeps) {
    this.deps = deps;
    this.files = new FactFiles(deps.duckDb, deps.folder, deps.stream);
  }

  /** Creates a missing folder and removes expired facts. */
  async open(): Promise<void> {
    await this.deps.folder.open();
    await this.deps.folder.removeRedundant();
    await this.dropOld();
  }

  /** Whether the last write succeeded. */
  get isWell(): boolean {
    return this.collector?.state.isFailing !== true;
  }

  show(sink: MetricSink): void {
    const { name: stream } = this.deps.stream;
    const { written = 0, waiting = 0, failures = 0 } = this.collector?.state ?? {};
    sink.value('roomwire_analytics_facts_written_total', written, { stream });
    sink.value('roomwire_analytics_facts_waiting', waiting, { stream });
    sink.value('roomwire_analytics_write_failures_total', failures, { stream });
  }

  collect(source: FactSource): Collector {
    const { limits, logger } = this.deps;
    this.collector = new Collector({
      ...{ source, limits, logger },
      write: (segment) => this.write(segment),
      wrote: (partitions) => this.tidy(partitions),
    });
    return this.collector;
  }

  private async write(segment: Segment): Promise<void> {
    await this.files.write(segment);
    const { partition, first, last, facts } = segment;
    const { stream, logger } = this.deps;
    logger.debug('Facts are written', { stream: stream.name, partition, first, last, facts: facts.length });
  }

  private async tidy(partitions: ReadonlySet<number>): Promise<void> {
    const { folder } = this.deps;
    const files = byPartition(await folder.files());
    for (const partition of partitions) {
      const { counted } = coverageOf(files.get(partition) ?? []);
      await this.files.merge(nextMerge(counted));
    }
    await folder.removeRedundant();
    await this.dropOld();
  }

  private async dropOld(): Promise<void> {
    const { keptMs, now } = this.deps;
    if (keptMs === undefined || now() - this.lastDrop < hourMs) return;
    this.lastDrop = now();
    await dropOldFacts({ ...this.deps, files: this.files }, now() - keptMs);
  }
}

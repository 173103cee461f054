import type { Comparison } from '../measure/comparison.js';
import type { Cores } from '../process/cores.js';
import type { WorkFolder } from '../process/workFolder.js';

export interface Settings {
  /** Of each counted phase. */
  readonly seconds: number;
  readonly runs: number;
  /** A built checkout of another version, for the measurements that compare with it. */
  readonly before?: string | undefined;
}

export interface Ground {
  readonly settings: Settings;
  readonly cores: Cores;
  readonly folder: WorkFolder;
  /** Tells somebody who waits what is being done. */
  readonly say: (progress: string) => void;
}

/** One subject of measurement. Ends what it starts, also when it fails. */
export interface Scenario {
  readonly name: string;
  readonly summary: string;
  /** Kafka, FerretDB and the stand-in for EventStoreDB, which take Java, Maven and Go: only when asked for. */
  readonly needsEngines?: true;
  run(ground: Ground): Promise<readonly Comparison[]>;
}

/** Every counted phase is preceded by one that is not. */
export const warmUpSeconds = 1;

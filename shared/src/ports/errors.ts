/** Another writer has appended first: reload and decide again. */
export class RevisionConflict extends Error {
  override readonly name = 'RevisionConflict';
  readonly stream: string;

  constructor(stream: string) {
    super(`The stream ${stream} has moved on`);
    this.stream = stream;
  }
}

/** The events of one append exceed the size limit of the event log. Nothing was written. */
export class AppendTooLarge extends RangeError {
  override readonly name = 'AppendTooLarge';

  constructor(options?: ErrorOptions) {
    super('The events of an append are larger than the event log takes at once', options);
  }
}

/** The ports that depend on an engine or another server, by the name used in logs and errors. */
export type EngineUse =
  | 'event log'
  | 'read models'
  | 'message bus'
  | 'sessions'
  | 'message store'
  | 'worker groups'
  | 'audit index'
  | 'session issuer'
  | 'payloads'
  | 'access log'
  | 'activity of projects'
  | 'snapshots'
  | 'publish ids'
  | 'shard leases'
  | 'schedules'
  | 'message history'
  | 'room events'
  | 'live state'
  | 'jobs'
  | 'connection record';

/** An engine is unavailable; the outcome of the request is unknown. */
export class EngineUnavailable extends Error {
  override readonly name = 'EngineUnavailable';

  constructor(use: EngineUse, options?: ErrorOptions) {
    super(`The ${use} cannot be reached`, options);
  }
}

/** Thrown by a handler that abandons a job because its process stops: the job is retried, and no error is logged. */
export class JobRequeued extends Error {
  override readonly name: string = 'JobRequeued';
}

/** A batch of changes from a projector that has lost the lead. */
export class StaleBatch extends Error {
  override readonly name = 'StaleBatch';

  constructor(position: string, checkpoint: string) {
    super(`A batch at ${position} came after the checkpoint ${checkpoint}`);
  }
}

/** Another rebuild of the read models has begun, or they have been cleared; this one is obsolete. */
export class RebuildSuperseded extends Error {
  override readonly name = 'RebuildSuperseded';

  constructor() {
    super('Another rebuild of the read models has begun');
  }
}

/** Something in a database that others may use was made from another event log: it is left as it is. */
export class MadeFromAnotherLog extends Error {
  override readonly name = 'MadeFromAnotherLog';

  /** `made`: what it is, such as `read models`. The logs by their identities; undefined for an empty one. */
  constructor(made: string, from: string, log: string | undefined) {
    super(
      `The event log here, ${log ?? 'which is empty'}, is not the one that the ${made} came from, ${from}`,
    );
  }
}

/** A snapshot of a stream does not hold what was written. */
export class DamagedSnapshot extends Error {
  override readonly name = 'DamagedSnapshot';

  constructor(stream: string) {
    super(`The snapshot of the stream ${stream} is damaged`);
  }
}

/** The data folder belongs to another running process. */
export class DataFolderInUse extends Error {
  override readonly name = 'DataFolderInUse';

  constructor(folder: string, processId: number) {
    super(`The data folder ${folder} is in use by process ${processId}`);
  }
}

/** A file of the data folder does not hold all that it held. */
export class DamagedFile extends Error {
  override readonly name = 'DamagedFile';

  constructor(path: string, fault: string, options?: ErrorOptions) {
    super(`The file ${path} is damaged: ${fault}. Restore the data folder from a backup`, options);
  }
}

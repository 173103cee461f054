/** How far a worker group has come, for whoever wakes it. */
export interface StoredGroup {
  /** Internal. */
  readonly topic: string;
  readonly group: string;
  /** Milliseconds since 1970: of what was recorded earlier all is done but some. */
  readonly sinceMs: number;
  /** Ids of messages that are not done although they were recorded earlier. */
  readonly undone: readonly string[];
  /** Ids of messages that are done although they were recorded later. */
  readonly done: readonly string[];
  /** What the names in the topic stood for. */
  readonly place: string;
  /** Milliseconds since 1970; may be forgotten from then on. */
  readonly expiresAt: number;
}

/** Worker groups that go on collecting when their members are gone. Rejects with `EngineUnavailable` where the engine is out of reach. */
export interface GroupStore {
  /** As it was written last. */
  load(topic: string, group: string): Promise<StoredGroup | undefined>;

  /** Resolves when it survives the end of every process. */
  write(group: StoredGroup): Promise<void>;

  forget(topic: string, group: string): Promise<void>;

  close(): Promise<void>;
}

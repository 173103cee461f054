/** How far a worker group has come, so that it can continue after all its gateways have ended or died. */
export interface GroupCheckpoint {
  /** Internal. */
  readonly topic: string;
  readonly group: string;
  /** Milliseconds since 1970: messages that were published earlier are acknowledged, except `undone`. */
  readonly sinceMs: number;
  /** Ids of open messages, whenever they were made. */
  readonly undone: readonly string[];
  /** Ids of acknowledged messages that were made later. */
  readonly done: readonly string[];
  /** `<room id>/<scope id>` of the topic, since names may be reused. */
  readonly place: string;
  /** Milliseconds since 1970; may be removed from then on. */
  readonly expiresAt: number;
}

/** The checkpoints of worker groups that collect messages while they are empty. Rejects with `EngineUnavailable` if the engine cannot be reached. */
export interface GroupStore {
  /** The checkpoint that was written last. */
  load(topic: string, group: string): Promise<GroupCheckpoint | undefined>;

  /** Resolves when it survives the end of every process. */
  write(group: GroupCheckpoint): Promise<void>;

  remove(topic: string, group: string): Promise<void>;

  close(): Promise<void>;
}

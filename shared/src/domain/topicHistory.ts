import type { TopicConfigs, TopicHistory } from './app.js';

export type HistoryBounds = Required<TopicHistory>;

/** Where the configuration leaves them out. */
export const usualHistory: HistoryBounds = { seconds: 86_400, messages: 1_000 };

export const longestHistory: HistoryBounds = { seconds: 7_776_000, messages: 100_000 };

/** [WS-HIST-1] Undefined for a topic without history. */
export const historyOf = (configs: TopicConfigs, topic: string): HistoryBounds | undefined => {
  const history = Object.hasOwn(configs, topic) ? configs[topic]?.history : undefined;
  return history ? { ...usualHistory, ...history } : undefined;
};

/** A topic of a room, in a scope, whose messages up to a position were deleted. */
export interface DeletedHistory {
  readonly appId: string;
  readonly roomId: string;
  /** Null outside of every scope. */
  readonly accessScopeId: string | null;
  readonly topic: string;
  /** The room as the broker sees it. */
  readonly room: string;
  /** A position; empty where nothing was kept but perhaps a last value. */
  readonly upTo: string;
}

/** Stored in the stream of the app's rooms; nothing of what was deleted is in it. */
export interface HistoryEvent {
  readonly type: 'HistoryDeleted';
  readonly data: DeletedHistory;
}

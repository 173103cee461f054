import type { TopicConfigs, TopicHistory } from './app.js';

export type HistoryBounds = Required<TopicHistory>;

const usual: HistoryBounds = { seconds: 86_400, messages: 1_000 };

/** [WS-HIST-1] Undefined for a topic without history. */
export const historyOf = (configs: TopicConfigs, topic: string): HistoryBounds | undefined => {
  const history = Object.hasOwn(configs, topic) ? configs[topic]?.history : undefined;
  return history && { ...usual, ...history };
};

import type { Edit } from '../edit.js';
import type { App, AppChanges, TopicConfig } from '../model.js';

/** Whether the topic is there, and its settings. */
const topicIn =
  (topic: string) =>
  ({ topics, topicConfigs }: App) => ({ isThere: topics.includes(topic), config: topicConfigs[topic] ?? {} });

export const settingsEdit = (topic: string, config: TopicConfig): Edit<App, AppChanges> => ({
  part: topicIn(topic),
  changes: ({ topicConfigs }) => ({ topicConfigs: { ...topicConfigs, [topic]: config } }),
});

export const removalEdit = (topic: string): Edit<App, AppChanges> => ({
  part: topicIn(topic),
  changes: ({ topics, topicConfigs }) => ({
    topics: topics.filter((other) => other !== topic),
    topicConfigs: Object.fromEntries(Object.entries(topicConfigs).filter(([other]) => other !== topic)),
  }),
});

/** Of an app or a room. */
export const withTopic = ({ topics }: { readonly topics: readonly string[] }, topic: string) => ({
  topics: [...topics, topic],
});

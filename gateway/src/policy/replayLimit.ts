import type { TopicConfigs } from '@roomwire/shared/domain/apps/topicConfig';

const most = 1_000;

/** [WS-GROUP-10] How many messages of a topic a group that is woken gets at most. Undefined where there is nothing to be had. */
export const replayLimit = (configs: TopicConfigs, topic: string): number | undefined => {
  const logging = Object.hasOwn(configs, topic) ? configs[topic]?.logging : undefined;
  if (!logging?.enabled || logging.replayEnabled === false) return undefined;
  return logging.maxReplayMessages ?? most;
};

import type { TopicConfigs } from '@roomwire/shared/domain/apps/topicConfig';
import type { RetentionClass } from '@roomwire/shared/wire/bus/recordedMessages';

/** What `tier`, or nothing, stands for. */
const ofTier: RetentionClass = '7d';

/** [WS-RECORD-2] Undefined for a topic that is not logged. */
export const retentionOf = (configs: TopicConfigs, topic: string): RetentionClass | undefined => {
  const logging = Object.hasOwn(configs, topic) ? configs[topic]?.logging : undefined;
  if (!logging?.enabled) return undefined;
  const { retention = 'tier' } = logging;
  return retention === 'tier' ? ofTier : retention;
};

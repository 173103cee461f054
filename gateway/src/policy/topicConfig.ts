import type { App, TopicConfigs, TriggerWebhook, Webhook } from '@roomwire/shared/domain/app';
import type { RetentionClass } from '@roomwire/shared/wire/bus/recordedMessages';

/** The webhooks that apply to a topic. */
export interface TopicWebhooks {
  readonly onSubscribe: Webhook | undefined;
  readonly onPublish: TriggerWebhook | undefined;
}

type Configured = Pick<App, 'topicConfigs' | 'hydrationWebhook' | 'triggerWebhook'>;

/** [HOOK-CONF-1] A topic's own webhook wins over the app's. Undefined where no webhook applies at all. */
export const webhooksOf = (app: Configured, topicName: string): TopicWebhooks | undefined => {
  const own = Object.hasOwn(app.topicConfigs, topicName) ? app.topicConfigs[topicName]?.webhooks : undefined;
  const onSubscribe = own?.onSubscribe ?? app.hydrationWebhook ?? undefined;
  const onPublish = own?.onPublish ?? app.triggerWebhook ?? undefined;
  return onSubscribe || onPublish ? { onSubscribe, onPublish } : undefined;
};

/** The retention of `tier`, which is the default. */
const ofTier: RetentionClass = '7d';

/** [WS-RECORD-2] Undefined for a topic that is not logged. */
export const retentionOf = (configs: TopicConfigs, topic: string): RetentionClass | undefined => {
  const logging = Object.hasOwn(configs, topic) ? configs[topic]?.logging : undefined;
  if (!logging?.enabled) return undefined;
  const { retention = 'tier' } = logging;
  return retention === 'tier' ? ofTier : retention;
};

const most = 1_000;

/** [WS-GROUP-10] How many messages of a topic a woken group gets at most. Undefined where nothing is replayed. */
export const replayLimit = (configs: TopicConfigs, topic: string): number | undefined => {
  const logging = Object.hasOwn(configs, topic) ? configs[topic]?.logging : undefined;
  if (!logging?.enabled || logging.replayEnabled === false) return undefined;
  return logging.maxReplayMessages ?? most;
};

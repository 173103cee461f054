import type { App } from '@roomwire/shared/domain/apps/app';
import type { Webhook } from '@roomwire/shared/domain/apps/webhook';

/** The webhooks that apply to a topic. */
export interface TopicWebhooks {
  readonly onSubscribe: Webhook | undefined;
  readonly onPublish: Webhook | undefined;
}

type Configured = Pick<App, 'topicConfigs' | 'hydrationWebhook' | 'triggerWebhook'>;

/** [HOOK-CONF-1] A topic's own webhook wins over the app's. Undefined where no webhook applies at all. */
export const webhooksOf = (app: Configured, topicName: string): TopicWebhooks | undefined => {
  const own = Object.hasOwn(app.topicConfigs, topicName) ? app.topicConfigs[topicName]?.webhooks : undefined;
  const onSubscribe = own?.onSubscribe ?? app.hydrationWebhook ?? undefined;
  const onPublish = own?.onPublish ?? app.triggerWebhook ?? undefined;
  return onSubscribe || onPublish ? { onSubscribe, onPublish } : undefined;
};

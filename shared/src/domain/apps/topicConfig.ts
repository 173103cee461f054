import type { Webhook } from './webhook.js';

export const retentions = ['tier', '1d', '7d', '30d', '90d'] as const;
export type Retention = (typeof retentions)[number];

export interface TopicLogging {
  readonly enabled: boolean;
  readonly retention?: Retention;
  readonly replayEnabled?: boolean;
  readonly maxReplayMessages?: number;
}

export interface TopicConfig {
  readonly logging?: TopicLogging;
  readonly webhooks?: { readonly onSubscribe?: Webhook; readonly onPublish?: Webhook };
}

export type TopicConfigs = Readonly<Record<string, TopicConfig>>;

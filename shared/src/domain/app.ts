import type { HappenedEvent } from './eventEnvelope.js';

/** Where a customer wants to be called, and the headers that authenticate the call. */
export interface Webhook {
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export const bodyVersions = [1, 2] as const;

/** A webhook whose calls matter one by one. */
export interface TriggerWebhook extends Webhook {
  /** For how long after its first attempt a call is tried on, beyond the third; 0 or absent: not beyond it. */
  readonly retrySeconds?: number;
  /** 1 where it is absent. */
  readonly bodyVersion?: (typeof bodyVersions)[number];
}

/** Three days. */
export const longestRetrySeconds = 259_200;

export const retentions = ['tier', '1d', '7d', '30d', '90d'] as const;
export type Retention = (typeof retentions)[number];

export interface TopicLogging {
  readonly enabled: boolean;
  readonly retention?: Retention;
  readonly replayEnabled?: boolean;
  readonly maxReplayMessages?: number;
}

/** The messages that a topic keeps: the newest, not older than so many seconds. */
export interface TopicHistory {
  /** 1 to 7,776,000; 86,400 where it is absent. */
  readonly seconds?: number;
  /** 1 to 100,000; 1,000 where it is absent. */
  readonly messages?: number;
}

export interface TopicConfig {
  readonly logging?: TopicLogging;
  /** Null means none. */
  readonly history?: TopicHistory | null;
  readonly webhooks?: { readonly onSubscribe?: Webhook; readonly onPublish?: TriggerWebhook };
}

export type TopicConfigs = Readonly<Record<string, TopicConfig>>;

export const appStatuses = ['active', 'disabled', 'suspended'] as const;
export type AppStatus = (typeof appStatuses)[number];

export const accessModes = ['open', 'private'] as const;
export type AccessMode = (typeof accessModes)[number];

export interface LobbyConfig {
  readonly slug: string;
  /** Room slugs, or `prefix-*`. */
  readonly rooms: readonly string[];
}

export interface AppConfig {
  readonly autoProvisionRooms?: boolean;
  readonly accessMode?: AccessMode;
  readonly lobbies?: readonly LobbyConfig[];
  readonly [key: string]: unknown;
}

export interface AppFields {
  readonly appId: string;
  readonly projectId: string;
  readonly name: string;
  readonly slug: string;
  readonly description: string | null;
  readonly blueprintId: string | null;
  readonly blueprintVersion: string | null;
  readonly pinnedBlueprintVersion: boolean;
  readonly config: AppConfig;
  readonly topics: readonly string[];
  readonly topicConfigs: TopicConfigs;
  readonly hydrationWebhook: Webhook | null;
  readonly triggerWebhook: TriggerWebhook | null;
  /** Fields of apps with source code; stored as sent. */
  readonly dependencies: unknown;
  readonly files: unknown;
  readonly framework: unknown;
}

export interface App extends AppFields {
  readonly status: AppStatus;
  readonly createdAt: string;
  readonly updatedAt: string;
}

export type AppChanges = Partial<Omit<App, 'appId' | 'projectId' | 'createdAt' | 'updatedAt'>>;

export type AppEvent =
  | { readonly type: 'AppCreated'; readonly data: AppFields }
  | { readonly type: 'AppUpdated'; readonly data: { readonly appId: string; readonly changes: AppChanges } }
  | { readonly type: 'AppDeleted'; readonly data: { readonly appId: string } };

/** All apps of a project share a stream: their slugs are unique and their number is limited together. */
export const appsStream = (projectId: string): string => `apps-${projectId}`;

export const createdApp = (fields: AppFields, at: string): App => ({
  ...fields,
  status: 'active',
  createdAt: at,
  updatedAt: at,
});

export const evolveApp = (app: App | undefined, event: HappenedEvent<AppEvent>): App | undefined => {
  switch (event.type) {
    case 'AppCreated':
      return createdApp(event.data, event.occurredAt);
    case 'AppUpdated':
      return app && { ...app, ...event.data.changes, updatedAt: event.occurredAt };
    case 'AppDeleted':
      return undefined;
  }
};

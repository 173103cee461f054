import type { AppConfig, TopicConfigs, TriggerWebhook, Webhook } from './app.js';
import type { HappenedEvent } from './eventEnvelope.js';

/** A static room of every app that is made from the blueprint. */
export interface BlueprintRoom {
  readonly name: string;
  readonly slug: string;
  readonly description: string | null;
  /** Empty for those of the app. */
  readonly topics: readonly string[];
  readonly metadata: Readonly<Record<string, unknown>>;
}

export interface BlueprintDefinition {
  readonly topics: readonly string[];
  readonly topicConfigs: TopicConfigs;
  readonly config: AppConfig;
  readonly hydrationWebhook: Webhook | null;
  readonly triggerWebhook: TriggerWebhook | null;
  readonly rooms: readonly BlueprintRoom[];
  readonly dependencies: unknown;
  readonly files: unknown;
  readonly framework: unknown;
}

/** One version; it is never changed. */
export interface BlueprintVersion {
  readonly blueprintId: string;
  readonly organizationId: string;
  /** Semver. */
  readonly version: string;
  readonly definition: BlueprintDefinition;
}

export interface BlueprintFields {
  readonly blueprintId: string;
  readonly organizationId: string;
  readonly name: string;
}

export interface Blueprint extends BlueprintFields {
  /** In the order of semver, the latest last. */
  readonly versions: readonly string[];
  readonly createdAt: string;
  readonly updatedAt: string;
}

export type BlueprintEvent =
  | { readonly type: 'BlueprintRegistered'; readonly data: BlueprintFields }
  | {
      readonly type: 'BlueprintVersionAdded';
      readonly data: BlueprintVersion & {
        /** All of them with this one, in the order of semver. */
        readonly versions: readonly string[];
      };
    };

export const blueprintStream = (blueprintId: string): string => `blueprint-${blueprintId}`;

export const registeredBlueprint = (fields: BlueprintFields, at: string): Blueprint => ({
  ...fields,
  versions: [],
  createdAt: at,
  updatedAt: at,
});

export const evolveBlueprint = (
  blueprint: Blueprint | undefined,
  event: HappenedEvent<BlueprintEvent>,
): Blueprint | undefined => {
  switch (event.type) {
    case 'BlueprintRegistered':
      return registeredBlueprint(event.data, event.occurredAt);
    case 'BlueprintVersionAdded':
      return blueprint && { ...blueprint, versions: event.data.versions, updatedAt: event.occurredAt };
  }
};

import type { AppFields } from '@roomwire/shared/domain/apps/app';
import type { BlueprintDefinition, BlueprintVersion } from '@roomwire/shared/domain/blueprints/blueprint';
import type { CreateAppBody } from './schemas.js';

interface AppOrigin {
  readonly appId: string;
  readonly projectId: string;
  /** What the app is made from. */
  readonly blueprint: BlueprintVersion | undefined;
}

/** The fields of an app that a blueprint defines. */
export type DefinedFields = Omit<BlueprintDefinition, 'rooms'>;

const nothingDefined: DefinedFields = {
  config: {},
  topics: [],
  topicConfigs: {},
  hydrationWebhook: null,
  triggerWebhook: null,
  dependencies: null,
  files: null,
  framework: null,
};

/** What was sent wins over the blueprint, field by field: an empty object, an empty array and null are values, too. */
export const newApp = (
  { appId, projectId, blueprint }: AppOrigin,
  body: CreateAppBody,
): Omit<AppFields, 'slug'> => {
  const defined = blueprint?.definition ?? nothingDefined;
  return {
    appId,
    projectId,
    name: body.name,
    description: body.description ?? null,
    blueprintId: blueprint?.blueprintId ?? null,
    blueprintVersion: blueprint?.version ?? null,
    pinnedBlueprintVersion: false,
    config: sent(body.config, defined.config),
    topics: sent(body.topics, defined.topics),
    topicConfigs: sent(body.topicConfigs, defined.topicConfigs),
    hydrationWebhook: sent(body.hydrationWebhook, defined.hydrationWebhook),
    triggerWebhook: sent(body.triggerWebhook, defined.triggerWebhook),
    dependencies: sent(body.dependencies, defined.dependencies),
    files: sent(body.files, defined.files),
    framework: sent(body.framework, defined.framework),
  };
};

const sent = <T>(value: T | undefined, otherwise: T): T => (value === undefined ? otherwise : value);

import type { App } from '@roomwire/shared/domain/apps/app';
import { shownStatus, type AppOwner } from './suspension.js';

export const presentApp = (app: App, owner: AppOwner) => ({
  appId: app.appId,
  projectId: app.projectId,
  name: app.name,
  slug: app.slug,
  description: app.description,
  status: shownStatus(app, owner),
  blueprintId: app.blueprintId,
  blueprintVersion: app.blueprintVersion,
  pinnedBlueprintVersion: app.pinnedBlueprintVersion,
  config: app.config,
  topics: app.topics,
  topicConfigs: app.topicConfigs,
  hydrationWebhook: app.hydrationWebhook,
  triggerWebhook: app.triggerWebhook,
  dependencies: app.dependencies,
  files: app.files,
  framework: app.framework,
  createdAt: app.createdAt,
  updatedAt: app.updatedAt,
});

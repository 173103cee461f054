import type { RefusalCode, RefusalDetails } from '../handling/refusal.js';
import { exampleIds } from '../http/exampleValues.js';

const { organizationId, projectId, appId, roomId, blueprintId, accessScopeId, actorTokenId } = exampleIds;

/** What the messages of the examples are made with. */
export const refusalExamples: { readonly [C in RefusalCode]: RefusalDetails[C] } = {
  organization_not_found: { organizationId },
  project_not_found: { projectId },
  api_key_not_found: { apiKeyId: exampleIds.apiKeyId },
  operator_required: {},
  app_not_found: { appId, projectId },
  app_slug_taken: { slug: 'support-desk' },
  app_limit_reached: {},
  app_without_blueprint: { appId },
  blueprint_not_found: { blueprintId },
  blueprint_version_not_found: { blueprintId, version: '1.2.0' },
  blueprint_version_taken: { blueprintId, version: '1.2.0' },
  room_not_found: { roomId },
  room_slug_taken: { slug: 'lobby' },
  room_static: {},
  room_cap_reached: { appId, cap: 1000 },
  room_provisioning_off: { appId },
  grant_not_found: { roomActorAccessId: exampleIds.roomActorAccessId },
  grant_holder_missing: {},
  grant_holder_taken: {},
  actor_not_in_project: { actorTokenId },
  actor_not_found: { actorId: actorTokenId },
  actor_id_invalid: {},
  scope_not_found: { accessScopeId },
  scope_slug_taken: { slug: 'tenant-a' },
  scope_in_use: { actors: 3 },
  scope_not_in_project: { accessScopeId },
  signing_key_not_found: { signingKeyId: exampleIds.signingKeyId },
  dead_letter_not_found: { dlqId: exampleIds.dlqId },
  dead_letter_dead: { dlqId: exampleIds.dlqId },
  webhook_secret_not_found: { webhookSecretId: exampleIds.webhookSecretId },
  webhook_secrets_full: {},
  resource_not_found: { resourceId: roomId },
  history_too_long: { resourceId: roomId, events: 20_000 },
  times_reversed: {},
};

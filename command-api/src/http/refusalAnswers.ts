import type { Refusal, RefusalCode, RefusalDetails } from '../handling/refusal.js';
import { applicationError, frameworkError, type ErrorAnswer } from './errorAnswer.js';

interface RefusalRow<C extends RefusalCode> {
  readonly status: number;
  readonly shape: 'application' | 'framework';
  readonly message: (details: RefusalDetails[C]) => string;
}

/** Status, shape and exact message of every refusal. */
export const refusalAnswers: { readonly [C in RefusalCode]: RefusalRow<C> } = {
  organization_not_found: {
    status: 404,
    shape: 'application',
    message: ({ organizationId }) => `Organization ${organizationId} not found`,
  },
  project_not_found: {
    status: 404,
    shape: 'application',
    message: ({ projectId }) => `Project ${projectId} not found`,
  },
  api_key_not_found: {
    status: 404,
    shape: 'application',
    message: ({ apiKeyId }) => `API key ${apiKeyId} not found`,
  },
  operator_required: {
    status: 403,
    shape: 'framework',
    message: () => 'This needs an operator session',
  },
  app_not_found: {
    status: 404,
    shape: 'framework',
    message: ({ appId, projectId }) => `App ${appId} not found in project ${projectId}`,
  },
  app_slug_taken: {
    status: 409,
    shape: 'application',
    message: ({ slug }) => `App with slug "${slug}" already exists in this project`,
  },
  app_limit_reached: {
    status: 403,
    shape: 'framework',
    message: () => 'App limit reached. Please upgrade your subscription to create more apps.',
  },
  app_without_blueprint: {
    status: 404,
    shape: 'application',
    message: ({ appId }) => `App ${appId} was not created from a blueprint`,
  },
  blueprint_not_found: {
    status: 404,
    shape: 'application',
    message: ({ blueprintId }) => `Blueprint ${blueprintId} not found`,
  },
  blueprint_version_not_found: {
    status: 404,
    shape: 'application',
    message: ({ blueprintId, version }) => `Version ${version} of blueprint ${blueprintId} not found`,
  },
  blueprint_version_taken: {
    status: 409,
    shape: 'application',
    message: ({ blueprintId, version }) => `Blueprint ${blueprintId} already has a version ${version}`,
  },
  room_not_found: {
    status: 404,
    shape: 'application',
    message: ({ roomId }) => `Room ${roomId} not found`,
  },
  room_slug_taken: {
    status: 409,
    shape: 'application',
    message: ({ slug }) => `Room with slug "${slug}" already exists`,
  },
  room_static: {
    status: 400,
    shape: 'application',
    message: () => 'Cannot delete static rooms created from Blueprint. Disable them instead.',
  },
  room_cap_reached: {
    status: 400,
    shape: 'application',
    message: ({ appId, cap }) => `App ${appId} has reached its room cap (${cap})`,
  },
  room_provisioning_off: {
    status: 403,
    shape: 'application',
    message: ({ appId }) =>
      `Dynamic room provisioning is not allowed for app ${appId}. Set config.autoProvisionRooms=true to allow it.`,
  },
  grant_not_found: {
    status: 404,
    shape: 'application',
    message: ({ roomActorAccessId }) => `Room grant ${roomActorAccessId} not found`,
  },
  grant_holder_missing: {
    status: 400,
    shape: 'application',
    message: () => 'Either actorTokenId or actorType must be provided.',
  },
  grant_holder_taken: {
    status: 409,
    shape: 'application',
    message: () => 'That actor already has a grant on this room. Update it instead.',
  },
  actor_not_in_project: {
    status: 404,
    shape: 'application',
    message: ({ actorTokenId }) => `Actor token ${actorTokenId} not found in this project`,
  },
  actor_not_found: {
    status: 404,
    shape: 'application',
    message: ({ actorId }) => `Actor token ${actorId} not found`,
  },
  actor_id_invalid: {
    status: 400,
    shape: 'application',
    message: () => 'Invalid actorId: must be a UUID or public keyId (at_...)',
  },
  scope_not_found: {
    status: 404,
    shape: 'application',
    message: ({ accessScopeId }) => `Access scope ${accessScopeId} not found`,
  },
  scope_slug_taken: {
    status: 409,
    shape: 'application',
    message: ({ slug }) => `A scope with slug "${slug}" already exists in this project`,
  },
  scope_in_use: {
    status: 409,
    shape: 'application',
    message: ({ actors }) =>
      `Cannot delete scope: ${actors} actor(s) are still assigned to it. Unscope them first.`,
  },
  scope_not_in_project: {
    status: 400,
    shape: 'application',
    message: ({ accessScopeId }) => `Access scope ${accessScopeId} does not belong to this project`,
  },
  signing_key_not_found: {
    status: 404,
    shape: 'application',
    message: ({ signingKeyId }) => `Signing key ${signingKeyId} not found`,
  },
  dead_letter_not_found: {
    status: 404,
    shape: 'application',
    message: ({ dlqId }) => `Webhook dead letter ${dlqId} not found`,
  },
  dead_letter_dead: {
    status: 409,
    shape: 'application',
    message: ({ dlqId }) => `Webhook dead letter ${dlqId} is marked dead`,
  },
  webhook_secret_not_found: {
    status: 404,
    shape: 'application',
    message: ({ webhookSecretId }) => `Webhook secret ${webhookSecretId} not found`,
  },
  webhook_secrets_full: {
    status: 409,
    shape: 'application',
    message: () => 'This project has two webhook secrets already. Delete one first.',
  },
  resource_not_found: {
    status: 404,
    shape: 'application',
    message: ({ resourceId }) => `Resource ${resourceId} not found`,
  },
  history_too_long: {
    status: 400,
    shape: 'application',
    message: ({ resourceId, events }) =>
      `The history of ${resourceId} up to then has more than ${events} events: export it instead`,
  },
  times_reversed: {
    status: 400,
    shape: 'application',
    message: () => '`from` must not be after `to`',
  },
};

export const answerRefusal = (refusal: Refusal, at: { id: string; now: string }): ErrorAnswer => {
  const row = refusalAnswers[refusal.code] as RefusalRow<RefusalCode>;
  const message = row.message(refusal.details);
  return row.shape === 'framework'
    ? frameworkError(row.status, message)
    : applicationError(row.status, message, at);
};

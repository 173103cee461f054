import { exampleIds } from '../http/exampleValues.js';

/** How a rejection is answered. `Details` are what its message needs; `example` holds those of the API's description. */
export interface RejectionRow<Details> {
  readonly status: number;
  /** Which of the error shapes of the API the answer has. */
  readonly shape: 'application' | 'framework';
  readonly message: (details: Details) => string;
  readonly example: Details;
}

const rowOf =
  (shape: RejectionRow<never>['shape']) =>
  <Details>(
    status: number,
    example: Details,
    message: (details: NoInfer<Details>) => string,
  ): RejectionRow<Details> => ({ status, shape, message, example });

const application = rowOf('application');
const framework = rowOf('framework');

const { organizationId, projectId, appId, roomId, blueprintId, accessScopeId, actorTokenId } = exampleIds;

/** Every reason for which a command or a query is rejected, with the status and the exact message of its answer. */
export const rejections = {
  organization_not_found: application(
    404,
    { organizationId },
    ({ organizationId }) => `Organization ${organizationId} not found`,
  ),
  project_not_found: application(404, { projectId }, ({ projectId }) => `Project ${projectId} not found`),
  api_key_not_found: application(
    404,
    { apiKeyId: exampleIds.apiKeyId },
    ({ apiKeyId }) => `API key ${apiKeyId} not found`,
  ),
  operator_required: framework(403, {}, () => 'This needs an operator session'),
  role_required: framework(
    403,
    { role: 'admin' },
    ({ role }) => `This needs the role ${role} in the organization`,
  ),
  permission_missing: framework(
    403,
    { permission: 'apps:write' },
    ({ permission }) => `API key lacks the permission ${permission}`,
  ),
  organization_suspended: framework(403, {}, () => 'Organization is suspended'),
  session_revoked: application(401, {}, () => 'The organization has revoked this session'),
  sign_in_code_invalid: application(401, {}, () => 'Invalid, used or expired code'),
  session_not_named: application(400, {}, () => 'Exactly one of jti and subject must be provided.'),
  change_unknown: application(
    400,
    {},
    () => 'Not a change of an app, a room, a grant or an actor that can be assumed',
  ),
  app_not_found: framework(
    404,
    { appId, projectId },
    ({ appId, projectId }) => `App ${appId} not found in project ${projectId}`,
  ),
  scheduled_not_found: application(
    404,
    { scheduledId: exampleIds.scheduledId },
    ({ scheduledId }) => `Scheduled publish ${scheduledId} not found`,
  ),
  app_slug_taken: application(
    409,
    { slug: 'support-desk' },
    ({ slug }) => `App with slug "${slug}" already exists in this project`,
  ),
  app_limit_reached: framework(
    403,
    {},
    () => 'App limit reached. Please upgrade your subscription to create more apps.',
  ),
  app_without_blueprint: application(
    404,
    { appId },
    ({ appId }) => `App ${appId} was not created from a blueprint`,
  ),
  blueprint_not_found: application(
    404,
    { blueprintId },
    ({ blueprintId }) => `Blueprint ${blueprintId} not found`,
  ),
  blueprint_version_not_found: application(
    404,
    { blueprintId, version: '1.2.0' },
    ({ blueprintId, version }) => `Version ${version} of blueprint ${blueprintId} not found`,
  ),
  blueprint_version_taken: application(
    409,
    { blueprintId, version: '1.2.0' },
    ({ blueprintId, version }) => `Blueprint ${blueprintId} already has a version ${version}`,
  ),
  room_not_found: application(404, { roomId }, ({ roomId }) => `Room ${roomId} not found`),
  room_slug_taken: application(
    409,
    { slug: 'lobby' },
    ({ slug }) => `Room with slug "${slug}" already exists`,
  ),
  room_static: application(
    400,
    {},
    () => 'Cannot delete static rooms created from Blueprint. Disable them instead.',
  ),
  room_cap_reached: application(
    400,
    { appId, cap: 1000 },
    ({ appId, cap }) => `App ${appId} has reached its room cap (${cap})`,
  ),
  room_provisioning_off: application(
    403,
    { appId },
    ({ appId }) =>
      `Dynamic room provisioning is not allowed for app ${appId}. Set config.autoProvisionRooms=true to allow it.`,
  ),
  topic_not_found: application(404, { topic: 'chat' }, ({ topic }) => `Topic "${topic}" not found`),
  history_disabled: application(
    400,
    { topic: 'chat' },
    ({ topic }) => `History is not enabled for topic "${topic}"`,
  ),
  job_group_not_found: application(
    404,
    { groupId: exampleIds.groupId },
    ({ groupId }) => `Worker group ${groupId} not found`,
  ),
  job_group_without_jobs: application(
    409,
    { name: 'thumbnails' },
    ({ name }) => `Worker group "${name}" has members without jobs`,
  ),
  connection_not_found: application(
    404,
    { connectionId: exampleIds.connectionId },
    ({ connectionId }) => `Connection ${connectionId} not found`,
  ),
  connection_closed: application(
    409,
    { connectionId: exampleIds.connectionId },
    ({ connectionId }) => `Connection ${connectionId} has closed`,
  ),
  grant_not_found: application(
    404,
    { roomActorAccessId: exampleIds.roomActorAccessId },
    ({ roomActorAccessId }) => `Room grant ${roomActorAccessId} not found`,
  ),
  grant_holder_missing: application(400, {}, () => 'Either actorTokenId or actorType must be provided.'),
  grant_holder_taken: application(
    409,
    {},
    () => 'That actor already has a grant on this room. Update it instead.',
  ),
  actor_not_in_project: application(
    404,
    { actorTokenId },
    ({ actorTokenId }) => `Actor token ${actorTokenId} not found in this project`,
  ),
  actor_not_found: application(
    404,
    { actorId: actorTokenId },
    ({ actorId }) => `Actor token ${actorId} not found`,
  ),
  actor_id_invalid: application(400, {}, () => 'Invalid actorId: must be a UUID or public keyId (at_...)'),
  scope_not_found: application(
    404,
    { accessScopeId },
    ({ accessScopeId }) => `Access scope ${accessScopeId} not found`,
  ),
  scope_slug_taken: application(
    409,
    { slug: 'tenant-a' },
    ({ slug }) => `A scope with slug "${slug}" already exists in this project`,
  ),
  scope_in_use: application(
    409,
    { actors: 3 },
    ({ actors }) => `Cannot delete scope: ${actors} actor(s) are still assigned to it. Unscope them first.`,
  ),
  scope_not_in_project: application(
    400,
    { accessScopeId },
    ({ accessScopeId }) => `Access scope ${accessScopeId} does not belong to this project`,
  ),
  signing_key_not_found: application(
    404,
    { signingKeyId: exampleIds.signingKeyId },
    ({ signingKeyId }) => `Signing key ${signingKeyId} not found`,
  ),
  dead_letter_not_found: application(
    404,
    { dlqId: exampleIds.dlqId },
    ({ dlqId }) => `Webhook dead letter ${dlqId} not found`,
  ),
  dead_letter_dead: application(
    409,
    { dlqId: exampleIds.dlqId },
    ({ dlqId }) => `Webhook dead letter ${dlqId} is marked dead`,
  ),
  dead_letter_payload_expired: application(
    409,
    { dlqId: exampleIds.dlqId },
    ({ dlqId }) => `The headers and the body of webhook dead letter ${dlqId} are not kept any more`,
  ),
  webhook_secret_not_found: application(
    404,
    { webhookSecretId: exampleIds.webhookSecretId },
    ({ webhookSecretId }) => `Webhook secret ${webhookSecretId} not found`,
  ),
  webhook_secrets_full: application(
    409,
    {},
    () => 'This project has two webhook secrets already. Delete one first.',
  ),
  resource_not_found: application(
    404,
    { resourceId: roomId },
    ({ resourceId }) => `Resource ${resourceId} not found`,
  ),
  history_too_long: application(
    400,
    { resourceId: roomId, events: 20_000 },
    ({ resourceId, events }) =>
      `The history of ${resourceId} up to then has more than ${events} events: export it instead`,
  ),
  history_too_large: application(
    400,
    { resourceId: roomId, mebibytes: 32 },
    ({ resourceId, mebibytes }) =>
      `The history of ${resourceId} up to then has more than ${mebibytes} MiB: export it instead`,
  ),
  too_many_past_reads: application(
    429,
    {},
    () => 'Too many reads of the past of this organization are waiting, please slow down',
  ),
  times_reversed: application(400, {}, () => '`from` must not be after `to`'),
};

export type RejectionCode = keyof typeof rejections;
export type RejectionDetails<C extends RejectionCode> = (typeof rejections)[C]['example'];

/** A rule of the domain does not allow the command or the query. */
export class Rejection<C extends RejectionCode = RejectionCode> extends Error {
  override readonly name = 'Rejection';
  readonly code: C;
  readonly details: RejectionDetails<C>;

  constructor(code: C, details: RejectionDetails<C>) {
    super(code);
    this.code = code;
    this.details = details;
  }
}

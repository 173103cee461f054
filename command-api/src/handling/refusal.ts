/** Why a command or a query is refused, and what the message needs to say so. */
export interface RefusalDetails {
  organization_not_found: { readonly organizationId: string };
  project_not_found: { readonly projectId: string };
  api_key_not_found: { readonly apiKeyId: string };
  operator_required: Record<never, never>;
  app_not_found: { readonly appId: string; readonly projectId: string };
  app_slug_taken: { readonly slug: string };
  app_limit_reached: Record<never, never>;
  app_without_blueprint: { readonly appId: string };
  blueprint_not_found: { readonly blueprintId: string };
  blueprint_version_not_found: { readonly blueprintId: string; readonly version: string };
  blueprint_version_taken: { readonly blueprintId: string; readonly version: string };
  room_not_found: { readonly roomId: string };
  room_slug_taken: { readonly slug: string };
  room_static: Record<never, never>;
  room_cap_reached: { readonly appId: string; readonly cap: number };
  room_provisioning_off: { readonly appId: string };
  grant_not_found: { readonly roomActorAccessId: string };
  grant_holder_missing: Record<never, never>;
  grant_holder_taken: Record<never, never>;
  actor_not_in_project: { readonly actorTokenId: string };
  actor_not_found: { readonly actorId: string };
  actor_id_invalid: Record<never, never>;
  scope_not_found: { readonly accessScopeId: string };
  scope_slug_taken: { readonly slug: string };
  scope_in_use: { readonly actors: number };
  scope_not_in_project: { readonly accessScopeId: string };
  signing_key_not_found: { readonly signingKeyId: string };
  dead_letter_not_found: { readonly dlqId: string };
  dead_letter_dead: { readonly dlqId: string };
  webhook_secret_not_found: { readonly webhookSecretId: string };
  webhook_secrets_full: Record<never, never>;
  resource_not_found: { readonly resourceId: string };
  history_too_long: { readonly resourceId: string; readonly events: number };
  times_reversed: Record<never, never>;
}

export type RefusalCode = keyof RefusalDetails;

/** A rule of the domain says no. The HTTP edge turns the code into a status, a shape and a message. */
export class Refusal<C extends RefusalCode = RefusalCode> extends Error {
  override readonly name = 'Refusal';
  readonly code: C;
  readonly details: RefusalDetails[C];

  constructor(code: C, details: RefusalDetails[C]) {
    super(code);
    this.code = code;
    this.details = details;
  }
}

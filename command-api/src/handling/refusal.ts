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
  room_not_found: { readonly roomId: string };
  room_slug_taken: { readonly slug: string };
  room_static: Record<never, never>;
  room_cap_reached: { readonly appId: string; readonly cap: number };
  room_provisioning_off: { readonly appId: string };
  actor_not_found: { readonly actorId: string };
  actor_id_invalid: Record<never, never>;
  scope_not_in_project: { readonly accessScopeId: string };
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

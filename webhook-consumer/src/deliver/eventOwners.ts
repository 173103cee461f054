import type { ViewReader } from '@roomwire/shared/ports/viewStore';
import type { WebhookCall } from '@roomwire/shared/wire/bus/webhookCalls';
import { refuseForOwner } from './ownerGone.js';

/** Rejects with `OwnerGone` for a call that nobody is to get any more, or when the read models fail. */
export type AssertOwned = (call: WebhookCall) => Promise<void>;

/**
 * [HOOK-EVENT-5] A room event is of its app and its scope, and is discarded with them. Not with its room, whose end it tells. Looked up for each
 * attempt: how the call ends is stored by the same engine.
 */
export const createEventOwners =
  (views: ViewReader): AssertOwned =>
  async ({ kind, appId, scope }) => {
    if (kind !== 'event') return;
    const owners = await Promise.all([
      views.get('apps', appId),
      scope && views.get('scopes', scope.accessScopeId),
    ]);
    if (owners.includes(undefined)) await refuseForOwner(views);
  };

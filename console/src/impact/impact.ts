import { failureOf } from '../api/failure.js';
import { send } from '../api/connectivity.js';
import type { ProjectAccess } from '../session/projectAccess.js';

/** A change of the API, as it would be sent. */
export interface Change {
  readonly method: 'POST' | 'PATCH' | 'DELETE';
  /** Relative to the API: `/apps/{appId}`. */
  readonly path: string;
  readonly body?: object;
}

/** Subscriptions that a change would end now. */
export interface ImpactRow {
  readonly actorTokenId: string;
  readonly name: string | null;
  readonly connections: number;
  /** `app/room/topic` */
  readonly address: string;
  readonly scope: string | null;
  /** Why. */
  readonly rule: string;
}

export interface Impact {
  /** At most the hundred with the most connections. */
  readonly data: readonly ImpactRow[];
  readonly total: number;
}

/** Whom a change would cut off now; nothing is changed. Rejects as the change would, where it would. */
export const impactOf = async (access: ProjectAccess, change: Change): Promise<Impact> => {
  const { method, path, body } = change;
  const response = await send(
    new Request('/v1/impact', {
      method: 'POST',
      headers: {
        authorization: `Bearer ${await access.credential.current()}`,
        'content-type': 'application/json',
      },
      body: JSON.stringify({ method, path: `/v1${path}`, ...(body === undefined ? {} : { body }) }),
    }),
  );
  const answer: unknown = await response.json();
  if (!response.ok) throw failureOf(response.status, answer);
  return answer as Impact;
};

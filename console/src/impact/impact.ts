import type { Api } from '../api/client.js';
import { answerOf } from '../api/failure.js';
import type { Schemas } from '../api/schemas.js';

/** A change of the API, as it would be sent. */
export interface Change {
  readonly method: 'POST' | 'PATCH' | 'DELETE';
  /** Relative to the API: `/apps/{appId}`. */
  readonly path: string;
  readonly body?: object;
}

/** Subscriptions that a change would end now: those of the most connections, and how many they are altogether. */
export type Impact = Schemas['Impact'];
export type ImpactRow = Schemas['CutOff'];

/** Whom a change would cut off now; nothing is changed. Rejects as the change would, where it would. */
export const impactOf = (api: Api, { method, path, body }: Change): Promise<Impact> =>
  answerOf(api.POST('/impact', { body: { method, path: `/v1${path}`, ...(body && { body }) } }));

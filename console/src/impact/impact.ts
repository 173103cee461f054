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

/** What a change would end now: subscriptions, those of the most connections first, and how many they are altogether; of an actor also its connections. */
export type Impact = Schemas['Impact'] | Schemas['ActorImpact'];
export type ImpactRow = Schemas['CutOff'];

/** Connections that would close, where it is the change of an actor. */
export const closedConnections = (impact: Impact): number =>
  'connections' in impact ? impact.connections : 0;

export const cutsNobodyOff = (impact: Impact): boolean =>
  impact.total === 0 && closedConnections(impact) === 0;

/** Whom a change would cut off now; nothing is changed. Rejects as the change would, where it would. */
export const impactOf = (api: Api, { method, path, body }: Change): Promise<Impact> =>
  answerOf(api.POST('/impact', { body: { method, path: `/v1${path}`, ...(body && { body }) } }));

import { failureOf } from '../../api/failure.js';
import { send } from '../../api/connectivity.js';

/** What happened in one minute; null is not known. */
export interface ActivityMinute {
  /** ISO 8601 */
  readonly at: string;
  readonly connections: number | null;
  readonly messagesIn: number | null;
  readonly messagesOut: number | null;
  readonly webhookCallsDelivered: number | null;
  readonly webhookCallsFailed: number | null;
  readonly refusals: number | null;
}

export type ActivityField = Exclude<keyof ActivityMinute, 'at'>;

export const readActivity = async (
  token: string,
  { organizationId, projectId }: { readonly organizationId: string; readonly projectId: string },
  minutes: number,
): Promise<readonly ActivityMinute[]> => {
  const path = `/v1/organizations/${organizationId}/projects/${projectId}/activity?minutes=${minutes}`;
  const response = await send(new Request(path, { headers: { authorization: `Bearer ${token}` } }));
  const body: unknown = await response.json();
  if (!response.ok) throw failureOf(response.status, body);
  return (body as { readonly data: readonly ActivityMinute[] }).data;
};

/** The newest value that is known. */
export const latestOf = (minutes: readonly ActivityMinute[], field: ActivityField): number | null =>
  minutes.findLast((minute) => minute[field] !== null)?.[field] ?? null;

/** The sum of what is known; null where nothing is. */
export const sumOf = (minutes: readonly ActivityMinute[], field: ActivityField): number | null => {
  const known = minutes.flatMap((minute) => minute[field] ?? []);
  return known.length === 0 ? null : known.reduce((sum, value) => sum + value, 0);
};

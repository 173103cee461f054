import type { ApiAddress } from '../api-client/apiAnswers.js';
import { askApi } from '../api-client/apiRequests.js';
import { appIdOf, roomIdOf, scopeIdOf } from '../api-client/lookups.js';

export interface HistoryQuestion {
  readonly appSlug: string;
  readonly roomSlug: string;
  readonly topic: string;
  /** The id or the slug of an access scope; undefined outside of every scope. */
  readonly scope: string | undefined;
  readonly from: { readonly before: string } | { readonly after: string } | undefined;
  readonly limit: number;
}

/** A part of the answer, as the API gives it. */
export interface HistoryPart {
  readonly data: readonly object[];
  readonly next?: string;
  readonly gap?: { readonly reason: string };
}

/** Of the API. */
const mostMessages = 1_000;

/** The messages that a topic keeps, in parts, at most as many as are asked for. Rejects with `ApiRefused`. */
export async function* readHistory(api: ApiAddress, question: HistoryQuestion): AsyncIterable<HistoryPart> {
  const { appSlug, roomSlug, topic, scope, limit } = question;
  const appId = await appIdOf(api, appSlug);
  const roomId = await roomIdOf(api, appId, roomSlug);
  const accessScopeId = scope === undefined ? undefined : await scopeIdOf(api, scope);
  const path = `apps/${appId}/rooms/${roomId}/topics/${encodeURIComponent(topic)}/messages`;
  const isUpwards = question.from !== undefined && 'after' in question.from;
  let from: Readonly<Record<string, string>> = question.from ?? {};
  for (let left = limit; left > 0;) {
    const query = { ...(accessScopeId && { scope: accessScopeId }), ...from };
    const part = await askApi<HistoryPart>(api, path, {
      query: { ...query, limit: Math.min(left, mostMessages) },
    });
    yield part;
    left -= part.data.length;
    if (part.next === undefined) return;
    from = isUpwards ? { after: part.next } : { before: part.next };
  }
}

import { endpointOf, parsedBody, reasonOf, whyOf, type ApiAddress } from '../publishing/apiAnswers.js';

/** The API says no, or does not answer. */
export class HistoryUnread extends Error {
  override readonly name = 'HistoryUnread';
}

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

const patienceMs = 30_000;
/** Of the API. */
const mostMessages = 1_000;
const recordsOnPage = 100;

/** The messages that a topic keeps, in parts, at most as many as are asked for. Rejects with `HistoryUnread`. */
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
    const part = await ask<HistoryPart>(api, path, { ...query, limit: Math.min(left, mostMessages) });
    yield part;
    left -= part.data.length;
    if (part.next === undefined) return;
    from = isUpwards ? { after: part.next } : { before: part.next };
  }
}

interface AppPage {
  readonly data: readonly { readonly appId: string; readonly slug: string }[];
}

/** The API has no filter for the slug of an app. */
const appIdOf = async (api: ApiAddress, slug: string): Promise<string> => {
  for (let page = 1; ; page += 1) {
    const { data } = await ask<AppPage>(api, 'apps', { page, limit: recordsOnPage });
    const app = data.find((each) => each.slug === slug);
    if (app) return app.appId;
    if (data.length < recordsOnPage) throw notFound('app', slug);
  }
};

const roomIdOf = async (api: ApiAddress, appId: string, slug: string): Promise<string> => {
  const [room] = await ask<readonly { readonly roomId: string }[]>(api, `apps/${appId}/rooms`, { slug });
  if (room === undefined) throw notFound('room', slug);
  return room.roomId;
};

interface ScopePage {
  readonly data: readonly { readonly accessScopeId: string }[];
}

const idPattern = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

const scopeIdOf = async (api: ApiAddress, scope: string): Promise<string> => {
  if (idPattern.test(scope)) return scope;
  const { data } = await ask<ScopePage>(api, 'scopes', { slug: scope });
  const [found] = data;
  if (found === undefined) throw notFound('access scope', scope);
  return found.accessScopeId;
};

const notFound = (what: string, slug: string): HistoryUnread =>
  new HistoryUnread(`There is no ${what} ${slug} in the project of this API key`);

const ask = async <T extends object>(
  api: ApiAddress,
  path: string,
  query: Readonly<Record<string, string | number>>,
): Promise<T> => {
  const address = endpointOf(api, path);
  for (const [name, value] of Object.entries(query)) address.searchParams.set(name, String(value));
  const headers = { authorization: `Bearer ${api.apiKey}` };
  const signal = AbortSignal.timeout(patienceMs);
  const answer = await fetch(address, { headers, signal }).catch((error: unknown) => {
    throw new HistoryUnread(reasonOf(error));
  });
  const body = parsedBody<T>(await answer.text());
  if (answer.status !== 200) throw new HistoryUnread(whyOf(body) ?? `The API answered ${answer.status}`);
  return body as unknown as T;
};

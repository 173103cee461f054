import { endpointOf, parsedBody, reasonOf, whyOf, type ApiAddress } from './apiAnswers.js';

/** The API says no, or has no record of that name (404), or does not answer: then without a status. */
export class ApiRefused extends Error {
  override readonly name = 'ApiRefused';
  readonly status: number | undefined;

  constructor(message: string, status?: number) {
    super(message);
    this.status = status;
  }
}

type Query = Readonly<Record<string, string | number | undefined>>;

export interface ApiRequest {
  readonly method?: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  readonly query?: Query;
  readonly body?: object;
  /** How long an answer is waited for; 30 s. */
  readonly patienceMs?: number;
}

const usualPatienceMs = 30_000;

/** `path` is relative to `/v1/`. Resolves with the body of a 2xx, an empty object where there is none; rejects with `ApiRefused`. */
export const askApi = async <T extends object>(
  api: ApiAddress,
  path: string,
  { method = 'GET', query = {}, body, patienceMs = usualPatienceMs }: ApiRequest = {},
): Promise<T> => {
  const address = endpointOf(api, path);
  for (const [name, value] of Object.entries(query))
    if (value !== undefined) address.searchParams.set(name, String(value));
  const headers = {
    authorization: `Bearer ${api.credential}`,
    ...(body && { 'content-type': 'application/json' }),
  };
  const signal = AbortSignal.timeout(patienceMs);
  const sent = { method, headers, signal, ...(body && { body: JSON.stringify(body) }) };
  const answer = await fetch(address, sent).catch((error: unknown) => {
    throw new ApiRefused(`${address.origin}: ${reasonOf(error)}`);
  });
  const answered = parsedBody<T>(await answer.text());
  if (!answer.ok) throw new ApiRefused(whyOf(answered) ?? `The API answered ${answer.status}`, answer.status);
  return answered as unknown as T;
};

/** How a list is divided: by number, by cursor, or by offset. */
export type Paging = 'page' | 'cursor' | 'offset';

type Item = Readonly<Record<string, unknown>>;

interface Page {
  readonly data: readonly Item[];
  /** By what the route calls it. */
  readonly next?: string | null;
  readonly nextCursor?: string | null;
}

const recordsOnPage = 100;

/** All records of a list, page by page. Rejects with `ApiRefused`. */
export async function* listAll(
  api: ApiAddress,
  path: string,
  paging: Paging,
  query: Query = {},
): AsyncIterable<Item> {
  let place: Query = {};
  for (let page = 1; ; page += 1) {
    if (paging === 'page') place = { page };
    if (paging === 'offset') place = { offset: (page - 1) * recordsOnPage };
    const answer = await askApi<Page>(api, path, { query: { ...query, limit: recordsOnPage, ...place } });
    yield* answer.data;
    const next = answer.next ?? answer.nextCursor;
    const isLast = paging === 'cursor' ? !next : answer.data.length < recordsOnPage;
    if (isLast) return;
    place = { cursor: next as string };
  }
}

import { endpointOf, parsedBody, reasonOf, whyOf, type ApiAddress } from '../api-client/apiAnswers.js';

/** What became of a message, as the API says it. */
export type MessageResult =
  | { readonly id: string; readonly at: string; readonly duplicate?: boolean }
  | { readonly error: string; readonly hint?: string };

export type BatchAnswer =
  /** One for each message, in their order. */
  | { readonly is: 'answered'; readonly results: readonly MessageResult[] }
  /** Nothing was accepted, because of one of the messages, or because they are too large together. */
  | { readonly is: 'malformed'; readonly why: string }
  /** Perhaps accepted: it may be tried again, at the earliest after this time, if it is known, in milliseconds. */
  | { readonly is: 'unsettled'; readonly why: string; readonly afterMs: number | undefined };

/** The API says no, and would say no again. */
export class PublishRefused extends Error {
  override readonly name = 'PublishRefused';
}

/** `POST /v1/publish`. */
export interface PublishApi {
  /** The messages as JSON, 1 to 100. Rejects with `PublishRefused`. */
  publish(messages: readonly string[]): Promise<BatchAnswer>;
}

/** Of a request with up to 100 messages, of which each may wait for the bus. */
const patienceMs = 30_000;

export const createPublishApi = (api: ApiAddress): PublishApi => {
  const address = endpointOf(api, 'publish');
  const headers = { authorization: `Bearer ${api.credential}`, 'content-type': 'application/json' };
  return {
    publish: async (messages) => {
      const body = `{"messages":[${messages.join(',')}]}`;
      const signal = AbortSignal.timeout(patienceMs);
      try {
        const response = await fetch(address, { method: 'POST', headers, body, signal });
        return answerOf(response, await response.text(), messages.length);
      } catch (error) {
        if (error instanceof PublishRefused) throw error;
        return { is: 'unsettled', why: reasonOf(error), afterMs: undefined };
      }
    },
  };
};

const answerOf = ({ status, headers }: Response, text: string, count: number): BatchAnswer => {
  const body = parsedBody<{ readonly results: unknown }>(text);
  const why = whyOf(body) ?? `The API answered ${status}`;
  if (status === 429 || status >= 500) return { is: 'unsettled', why, afterMs: retryAfterMs(headers) };
  if (status === 400 || status === 413) return { is: 'malformed', why };
  if (status === 404) throw new PublishRefused(`${why} (does this service publish over HTTP?)`);
  if (status !== 200) throw new PublishRefused(why);
  const { results } = body;
  if (!Array.isArray(results) || results.length !== count)
    throw new PublishRefused('The API has not answered each message: is this the address of a Roomwire?');
  return { is: 'answered', results: results as readonly MessageResult[] };
};

/** A number of seconds, or a date. */
const retryAfterMs = (headers: Headers): number | undefined => {
  const given = headers.get('retry-after');
  if (given === null) return undefined;
  const milliseconds = /^\d+$/.test(given) ? Number(given) * 1_000 : Date.parse(given) - Date.now();
  return Number.isNaN(milliseconds) ? undefined : Math.max(0, milliseconds);
};

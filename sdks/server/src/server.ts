import createClient, { type Client } from 'openapi-fetch';
import { apiAddressOf } from './apiAddress.js';
import {
  publishMany,
  publishOne,
  type AnyMessage,
  type AnyResult,
  type LaterMessage,
  type NewMessage,
  type Published,
  type PublishResult,
  type Scheduled,
} from './publishing.js';
import type { paths } from './rest/schema.js';
import { retryingFetch } from './retryingFetch.js';

export interface ServerOptions {
  /** Of the service, `https://roomwire.example.com`, or of its gateway; may come from the environment, which may lack it: then this throws. */
  readonly url: string | undefined;
  /** An API key of the project, or a user session token for the endpoints of organizations; as `url` it may not be there. */
  readonly apiKey: string | undefined;
  /** How often a publish or a read is sent again where that may help; 3 unless given. */
  readonly retries?: number;
  /** Of one try, in milliseconds; 40,000 unless given, a little more than a service takes for an answer that waits. */
  readonly timeoutMs?: number;
  /** The one of the platform unless given. */
  readonly fetch?: (request: Request) => Promise<Response>;
}

/** What a backend does with Roomwire. */
export interface Server {
  /**
   * Publishes a message. Rejects with `PublishRefused`, or with `RequestFailed` where the request was refused or had no answer. A duplicate is what the
   * first with its `id` was: `Scheduled` if that was for later, here too, and `Published` if it was not, below too.
   */
  publish(message: NewMessage): Promise<Published>;
  /** Publishes a message at its time. A service that cannot refuses it with `RequestFailed` (400). */
  publish(message: LaterMessage): Promise<Scheduled>;
  /** Publishes 1 to 100 messages; those for one room in their order. A refused one does not affect the others. */
  publish(messages: readonly NewMessage[]): Promise<readonly PublishResult[]>;
  /** The same, some of them for later. */
  publish(messages: readonly AnyMessage[]): Promise<readonly AnyResult[]>;
  /**
   * The REST API with its types: `server.rest.GET('/apps/{appId}', { params: { path: { appId } } })` resolves with `data` or with `error`. Reads are
   * sent again like publishes, other requests are not.
   */
  readonly rest: Client<paths>;
}

/** Throws a `TypeError` where an option cannot be right. */
export const createServer = (options: ServerOptions): Server => {
  const { url, apiKey, retries = 3, timeoutMs = 40_000 } = options;
  const baseUrl = apiAddressOf(url);
  if (!apiKey) throw new TypeError('apiKey must be an API key of the project, ak_live_…; it is not given');
  const send = options.fetch ?? ((request: Request) => fetch(request));
  const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
  const how = { timeoutMs, pause, random: Math.random };
  const again = retryingFetch(send, { ...how, retries });
  const once = retryingFetch(send, { ...how, retries: 0 });
  const authorization = `Bearer ${apiKey}`;

  const sendPublish = (body: Uint8Array<ArrayBuffer>): Promise<Response> =>
    again(
      new Request(`${baseUrl}/publish`, {
        method: 'POST',
        headers: { authorization, 'content-type': 'application/msgpack' },
        body,
      }),
    );

  const publish = (given: AnyMessage | readonly AnyMessage[]): Promise<unknown> =>
    isList(given) ? publishMany(sendPublish, given) : publishOne(sendPublish, given);

  return {
    publish: publish as Server['publish'],
    rest: createClient<paths>({
      baseUrl,
      headers: { authorization },
      fetch: (request) => (request.method === 'GET' ? again(request) : once(request)),
    }),
  };
};

const isList = (given: AnyMessage | readonly AnyMessage[]): given is readonly AnyMessage[] =>
  Array.isArray(given);

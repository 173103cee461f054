import { encode } from '@msgpack/msgpack';
import { PublishRefused, RequestFailed, type Refused } from './errors.js';

/** A message of a backend; the fields are those of `POST /v1/publish`. */
export interface NewMessage {
  /** `app-slug/room-slug/topic`. */
  readonly topic: string;
  /** Anything that MessagePack holds: bytes, dates and `bigint` too. */
  readonly data: unknown;
  /** The id or the slug of an access scope; not together with `as`. */
  readonly scope?: string;
  /** The `actorTokenId` or the `keyId` of an actor: it publishes, with its rights. */
  readonly as?: string;
  readonly filter?: string;
  readonly filters?: readonly string[];
  readonly retain?: boolean;
  readonly qos?: 0 | 1 | 2;
  /** Of all messages with it to one address one is delivered. A random one unless given, so that a try that is repeated sends nothing twice. */
  readonly id?: string;
  /** Whether the trigger webhook of the topic is called. */
  readonly trigger?: boolean;
  readonly deliverAt?: undefined;
}

/** A message for later. A service that does not know of it refuses it, and publishes nothing. */
export interface LaterMessage extends Omit<NewMessage, 'deliverAt'> {
  /** At most 30 days ahead; one that is past is now. A text is ISO 8601. */
  readonly deliverAt: Date | string;
}

export interface Published {
  readonly id: string;
  /** ISO 8601. */
  readonly at: string;
  /** Only of a topic with history. */
  readonly position?: string;
  /** It had been published before. */
  readonly duplicate?: true;
}

/** It waits until then. */
export interface Scheduled {
  readonly id: string;
  /** By which it can be cancelled: `DELETE /v1/scheduled/{scheduledId}`. */
  readonly scheduledId: string;
  /** ISO 8601. */
  readonly deliverAt: string;
  /** It had been accepted before. */
  readonly duplicate?: true;
}

export type AnyMessage = NewMessage | LaterMessage;
export type PublishResult = Published | Refused;
export type AnyResult = PublishResult | Scheduled;

/** Sends a request, and again while that may help. */
export type SendPublish = (body: Uint8Array<ArrayBuffer>) => Promise<Response>;

const prepared = ({ deliverAt, ...message }: AnyMessage): object => ({
  ...{ id: crypto.randomUUID(), ...message },
  deliverAt: deliverAt instanceof Date ? deliverAt.toISOString() : deliverAt,
});

const encoded = (body: object): Uint8Array<ArrayBuffer> =>
  encode(body, { useBigInt64: true, ignoreUndefined: true });

/** Rejects with `PublishRefused` or `RequestFailed`. */
export const publishOne = async (send: SendPublish, message: AnyMessage): Promise<Published | Scheduled> =>
  bodyOf<Published | Scheduled>(await send(encoded(prepared(message))));

/** The results in the order of the messages, at most 100. Rejects as above, where the whole request is refused. */
export const publishMany = async (
  send: SendPublish,
  messages: readonly AnyMessage[],
): Promise<readonly AnyResult[]> => {
  const answer = await send(encoded({ messages: messages.map(prepared) }));
  return (await bodyOf<{ readonly results: readonly AnyResult[] }>(answer)).results;
};

type Failure = Partial<Refused> & {
  readonly message?: string;
  readonly errors?: readonly { readonly path: string; readonly message: string }[];
};

const bodyOf = async <T>(answer: Response): Promise<T> => {
  const body = (await answer.json().catch(() => null)) as Failure | null;
  // Something else has answered in place of the service, or the connection ended in the middle of the answer.
  if (answer.ok && body === null)
    throw new RequestFailed(`The API answered ${answer.status} without a result`);
  if (answer.ok) return body as T;
  if (body?.error !== undefined) throw new PublishRefused(body as Refused, answer.status);
  const details = body?.errors?.map(({ path, message }) => `${path} ${message}`).join(', ');
  const reason = [body?.message, details].filter(Boolean).join(': ');
  throw new RequestFailed(reason || `The API answered ${answer.status}`, answer.status);
};

import { Webhook } from 'standardwebhooks';

/** Of any server: those of Node, of `Headers.entries()` as an object, and of `Headers` itself. */
export type CallHeaders = Headers | Readonly<Record<string, string | readonly string[] | undefined>>;

/** A call: of a trigger, of a topic's own webhook, or of the webhook of room events. */
export interface WebhookCall<Body = unknown> {
  /** The same on every attempt of one call: what you have handled once you need not handle again. */
  readonly id: string;
  /** When this attempt was signed. */
  readonly at: Date;
  /** Checked to come from Roomwire, and not to be of the type that you say. */
  readonly body: Body;
}

/** It was not signed with any of the secrets, or too long ago; `cause` says which. */
export class InvalidWebhook extends Error {
  override readonly name = 'InvalidWebhook';
}

const names = ['webhook-id', 'webhook-timestamp', 'webhook-signature'] as const;

/**
 * The call, once it has proven to come from Roomwire. `secrets` are those of the project that are in use, `whsec_…`, two of them during a
 * rotation, and where there is none no call is genuine; `body` is the text as it came, before anything parsed it. Throws `InvalidWebhook`. Say which
 * body you expect: `verifyWebhook<RoomEventBody>(…)`, of an endpoint that is called for nothing else.
 */
export const verifyWebhook = <Body = unknown>(
  secrets: string | readonly string[] | undefined,
  headers: CallHeaders,
  body: string | Uint8Array,
): WebhookCall<Body> => {
  const text = typeof body === 'string' ? body : new TextDecoder().decode(body);
  const found = Object.fromEntries(names.map((name) => [name, headerOf(headers, name)]));
  let cause: unknown = new Error('There is no secret to verify it with');
  for (const secret of [secrets ?? []].flat()) {
    try {
      const parsed = new Webhook(secret).verify(text, found) as Body;
      const at = new Date(Number(found['webhook-timestamp']) * 1_000);
      return { id: found['webhook-id'] ?? '', at, body: parsed };
    } catch (error) {
      cause = error;
    }
  }
  throw new InvalidWebhook(`The call is not genuine: ${(cause as Error).message}`, { cause });
};

const headerOf = (headers: CallHeaders, name: string): string => {
  if (headers instanceof Headers) return headers.get(name) ?? '';
  const [, value] = Object.entries(headers).find(([key]) => key.toLowerCase() === name) ?? [];
  return (typeof value === 'string' ? value : value?.[0]) ?? '';
};

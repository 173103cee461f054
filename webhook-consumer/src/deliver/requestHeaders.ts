import type { WebhookCall } from '@roomwire/shared/wire/bus/webhookCalls';

/** [HOOK-SIGN-1] What Roomwire itself says about a call; nothing that is configured takes its place. */
export interface OwnHeaders {
  readonly 'content-type': 'application/json';
  readonly 'user-agent': 'Roomwire';
  /** The same on each attempt. */
  readonly 'webhook-id': string;
  /** Of this attempt, Unix seconds. */
  readonly 'webhook-timestamp': string;
  readonly 'webhook-signature'?: string;
}

/** As sent; configured names differ in case alone only by mistake, and then the last one counts. */
export const requestHeaders = (
  { headers }: Pick<WebhookCall, 'headers'>,
  own: OwnHeaders,
): Readonly<Record<string, string>> => ({
  ...Object.fromEntries(headers.map(([name, value]) => [name.toLowerCase(), value])),
  ...own,
});

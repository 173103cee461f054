import { Encoder, decode } from '@msgpack/msgpack';
import type { WorkQueue } from './channel.js';
import { isWebhookCall, type WebhookCall } from './webhookCalls.js';

/** How a trigger call has ended, for the service that keeps the dead letters. */
export type WebhookReport =
  | {
      readonly outcome: 'failed';
      readonly call: WebhookCall;
      /** Null when no answer came. */
      readonly responseStatus: number | null;
      readonly error: string;
      /** `pending`: it could succeed later. `failed`: the endpoint refused it. */
      readonly status: 'pending' | 'failed';
    }
  /** A dead letter that was tried again has arrived. */
  | { readonly outcome: 'delivered'; readonly call: WebhookCall };

const version = 1;

const encoder = new Encoder();

const isReport = (value: unknown): value is WebhookReport => {
  const report = value as Partial<Record<string, unknown>> | null;
  if (typeof report !== 'object' || report === null || !isWebhookCall(report['call'])) return false;
  const { outcome, responseStatus, error, status } = report;
  if (outcome === 'delivered') return true;
  return (
    outcome === 'failed' &&
    (responseStatus === null || Number.isInteger(responseStatus)) &&
    typeof error === 'string' &&
    (status === 'pending' || status === 'failed')
  );
};

/** The reports of a call are taken in the order in which they were put. */
export const webhookReports: WorkQueue<WebhookReport> = {
  name: 'webhook-reports',
  key: ({ call }) => call.callId,
  codec: {
    encode: (report) => encoder.encode([version, report]),
    decode: (bytes) => {
      const record = decode(bytes);
      if (!Array.isArray(record) || record[0] !== version || !isReport(record[1]))
        throw new Error('Not a webhook report of a known version');
      return record[1];
    },
  },
  delayMs: 0,
};

/** Where earlier programs put their reports. It is worked on until it is empty; nothing is put into it. */
export const formerWebhookReports: WorkQueue<WebhookReport> = {
  ...webhookReports,
  name: 'webhook-dead-letters',
  isRetired: true,
};

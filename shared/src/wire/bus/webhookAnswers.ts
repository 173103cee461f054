import { Encoder, decode } from '@msgpack/msgpack';
import type { Channel } from './channel.js';

/** What a hydration webhook has answered, on its way to the subscriber. */
export interface WebhookAnswer {
  readonly gatewayId: string;
  /** As in the call's origin. */
  readonly subscription: number;
  /** The complete `hydration` for the subscriber, MessagePack. */
  readonly body: Uint8Array;
}

const version = 1;

const encoder = new Encoder();

type AnswerRecord = [version: number, gatewayId: string, subscription: number, body: Uint8Array];

const isRecord = (value: unknown): value is AnswerRecord =>
  Array.isArray(value) &&
  value[0] === version &&
  typeof value[1] === 'string' &&
  Number.isInteger(value[2]) &&
  value[3] instanceof Uint8Array;

/** Each gateway reads what is for it. */
export const webhookAnswers: Channel<WebhookAnswer> = {
  name: 'webhook-answers',
  key: ({ gatewayId }) => gatewayId,
  codec: {
    encode: ({ gatewayId, subscription, body }) => encoder.encode([version, gatewayId, subscription, body]),
    decode: (bytes) => {
      const record = decode(bytes);
      if (!isRecord(record)) throw new Error('Not a webhook answer of a known version');
      const [, gatewayId, subscription, body] = record;
      return { gatewayId, subscription, body };
    },
  },
};

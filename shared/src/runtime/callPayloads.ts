import type { CallPayload, DeadLetter } from '../domain/deadLetter.js';
import type { Clock } from '../ports/clock.js';
import type { Logger } from '../ports/logger.js';
import type { PayloadStore } from '../ports/payloadStore.js';
import { decodeCallPayload, payloadHash } from '../wire/webhooks/callPayload.js';

export interface CallPayloadDeps {
  readonly payloads: Pick<PayloadStore, 'get' | 'limits'>;
  readonly clock: Clock;
  readonly logger: Logger;
}

type Entry = Pick<DeadLetter, 'dlqId' | 'payload' | 'createdAt'>;

/**
 * What the call of a dead letter sent; undefined once it is not kept any more. Payloads that earlier versions wrote into the
 * event log have the same retention.
 */
export const loadCallPayload = async (
  { payloads, clock, logger }: CallPayloadDeps,
  { dlqId, payload, createdAt }: Entry,
): Promise<CallPayload | undefined> => {
  if ('requestBody' in payload)
    return Date.parse(createdAt) + payloads.limits.retentionMs > clock.now() ? payload : undefined;
  const content = await payloads.get(payload.id);
  if (content === undefined) return undefined;
  if (payloadHash(content) === payload.sha256) return decodeCallPayload(content);
  logger.error('The payload of a dead letter was changed outside of Roomwire and is not used', { dlqId });
  return undefined;
};

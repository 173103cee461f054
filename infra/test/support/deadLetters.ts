import { deadLetterTarget } from '@roomwire/command-api/dead-letters/decider';
import type { CallPayload, DeadLetterFields } from '@roomwire/shared/domain/deadLetter';
import { payloadHash } from '@roomwire/shared/wire/webhooks/callPayload';
import type { Adapters } from '../../src/engines/adapters.js';
import { executeOn } from './eventLogAccess.js';

/** A trigger call that failed, with what it sent. */
export type FailedCall = Omit<DeadLetterFields, 'payload'> & CallPayload;

/** Records failed calls as dead letters, straight in the stores. */
export const recordDeadLetters = async (
  adapters: Pick<Adapters, 'log' | 'payloads'>,
  calls: readonly FailedCall[],
): Promise<void> => {
  const [log, payloads] = [await adapters.log(), await adapters.payloads()];
  for (const { requestHeaders, requestBody, ...fields } of calls) {
    const { dlqId, projectId, appId } = fields;
    const content = Buffer.from(JSON.stringify({ requestHeaders, requestBody }));
    await payloads.put({ id: dlqId, projectId, owners: [appId], content });
    const entry = { ...fields, payload: { id: dlqId, sha256: payloadHash(content) } };
    await executeOn(log, fields)(deadLetterTarget(dlqId), { type: 'RecordDeadLetter', entry });
  }
};

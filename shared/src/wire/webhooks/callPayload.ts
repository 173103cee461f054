import { Buffer } from 'node:buffer';
import { createHash } from 'node:crypto';
import type { CallPayload } from '../../domain/deadLetter.js';
import { type LostWork, lostWorkRecord } from '../bus/lostWork.js';
import { type WebhookCall, webhookCallRecord } from '../bus/webhookCalls.js';
import { requestBody, undeliveredBody } from './requestBody.js';

/** What a call sends, as JSON in UTF-8: the same bytes every time. */
export const encodeCallPayload = (call: WebhookCall): Uint8Array => {
  const headers = JSON.stringify(Object.fromEntries(call.headers));
  const record = call.kind === 'trigger' ? undefined : webhookCallRecord.codec.encode(call);
  return payloadOf(headers, requestBody(call), record);
};

/** A message that was not delivered, as a trigger would have sent it, and all that it takes to try again. */
export const encodeWorkPayload = (work: LostWork): Uint8Array =>
  payloadOf('{}', undeliveredBody(work), lostWorkRecord.codec.encode(work));

const payloadOf = (headers: string, body: string, record: Uint8Array | undefined): Uint8Array => {
  const kept = record === undefined ? '' : `,"record":"${Buffer.from(record).toString('base64')}"`;
  return Buffer.from(`{"requestHeaders":${headers},"requestBody":${body}${kept}}`);
};

export const decodeCallPayload = (content: Uint8Array): CallPayload =>
  JSON.parse(Buffer.from(content).toString()) as CallPayload;

/** Hex SHA-256, which the event log holds. */
export const payloadHash = (content: Uint8Array): string =>
  createHash('sha256').update(content).digest('hex');

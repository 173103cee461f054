import { Buffer } from 'node:buffer';
import { createHash } from 'node:crypto';
import type { CallPayload } from '../../domain/deadLetter.js';
import type { WebhookCall } from '../bus/webhookCalls.js';
import { requestBody } from './requestBody.js';

/** What a call sends, as JSON in UTF-8: the same bytes every time. */
export const encodeCallPayload = (call: WebhookCall): Uint8Array => {
  const headers = JSON.stringify(Object.fromEntries(call.headers));
  return Buffer.from(`{"requestHeaders":${headers},"requestBody":${requestBody(call)}}`);
};

export const decodeCallPayload = (content: Uint8Array): CallPayload =>
  JSON.parse(Buffer.from(content).toString()) as CallPayload;

/** Hex SHA-256, which the event log holds. */
export const payloadHash = (content: Uint8Array): string =>
  createHash('sha256').update(content).digest('hex');

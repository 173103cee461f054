import { createHash } from 'node:crypto';

/**
 * The id of a scheduled publish, from that of the message it was accepted as: whoever publishes again under an id of its own making gets the same. A
 * UUID of version 8 (RFC 9562).
 */
export const scheduledIdOf = (messageId: string): string => {
  const bytes = createHash('sha256').update(messageId).digest().subarray(0, 16);
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x80;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
};

import { Buffer } from 'node:buffer';
import { createHash } from 'node:crypto';

/** The version 5 UUID of a name in the namespace of a UUID (RFC 9562). */
export const nameUuid = (namespaceId: string, name: string): string => {
  const namespace = Buffer.from(namespaceId.replaceAll('-', ''), 'hex');
  const bytes = createHash('sha1').update(namespace).update(name).digest().subarray(0, 16);
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x50;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
};

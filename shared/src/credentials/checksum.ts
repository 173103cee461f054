import { crc32 } from 'node:zlib';

const digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const checksumLength = 6;

/**
 * CRC-32 in base 62, six characters with leading zeros: scanners of leaked secrets tell a real one by it. It proves nothing,
 * and nothing is refused for it: older credentials have none.
 */
export const checksumOf = (text: string): string => {
  let rest = crc32(text);
  let checksum = '';
  while (checksum.length < checksumLength) {
    checksum = `${digits[rest % digits.length]}${checksum}`;
    rest = Math.floor(rest / digits.length);
  }
  return checksum;
};

export const withChecksum = (text: string): string => text + checksumOf(text);

/** Whether it ends with the checksum of all before it. */
export const hasChecksum = (text: string): boolean =>
  text.slice(-checksumLength) === checksumOf(text.slice(0, -checksumLength));

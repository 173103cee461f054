import { createHash } from 'node:crypto';

/** Before the first line. */
export const chainStart = '0'.repeat(64);

/** Hex SHA-256 of the chain so far and a line: whoever changes, takes out or adds a line breaks it from there on. */
export const chained = (chain: string, line: string): string =>
  createHash('sha256').update(chain).update('\n').update(line).digest('hex');

import type { JsonSchema } from '../http/route.js';
import { displayNamePattern, timePattern } from '../http/validation.js';

const label = '[A-Za-z](?:[A-Za-z0-9-]{0,30}[A-Za-z0-9])?';
const byte = '(?:25[0-5]|2[0-4][0-9]|1[0-9][0-9]|[1-9]?[0-9])';
const host = `(?:${label}(?:\\.${label})*|${byte}(?:\\.${byte}){3}|\\[::1?\\])`;
const port = '(?:6553[0-5]|655[0-2][0-9]|65[0-4][0-9]{2}|6[0-4][0-9]{3}|[1-5][0-9]{4}|[1-9][0-9]{0,3})';

/** JSON Schema has no flag for it. */
const inAnyCase = (name: string): string => name.replace(/[a-z]/g, (c) => `[${c.toUpperCase()}${c}]`);
const framing = [
  'host',
  'content-length',
  'transfer-encoding',
  'connection',
  'keep-alive',
  'upgrade',
  'te',
  'trailer',
];

/**
 * Our own formats in keywords of JSON Schema, so that a generator makes values that are taken. All are exact but for
 * URLs, of which more are taken than the pattern says.
 */
export const describedFormats: Readonly<Record<string, JsonSchema>> = {
  'date-time': {
    description: 'RFC 3339; leap seconds are not taken',
    format: 'date-time',
    pattern: timePattern.source,
    examples: ['2027-01-31T09:30:00Z'],
  },
  'display-name': {
    description: 'Has a character that can be seen, and no NUL',
    pattern: displayNamePattern.source,
    examples: ['Support desk'],
  },
  'webhook-url': {
    description: 'An http or https address without user and password; any that the URL standard can read',
    maxLength: 2048,
    pattern: `^https?://${host}(?::${port})?(?:[/?#][!-~]*)?$`,
    examples: ['https://example.com/hooks/roomwire'],
  },
  'webhook-header-name': {
    description: 'Name of a header, but of those that frame the call or belong to a hop of it',
    allOf: [
      { pattern: "^[!#$%&'*+.^_`|~0-9A-Za-z-]+$" },
      { not: { pattern: `^(?:${framing.map(inAnyCase).join('|')}|${inAnyCase('proxy-')}.*)$` } },
    ],
    examples: ['X-Api-Key'],
  },
  'header-value': { pattern: '^[\\t\\x20-\\x7e\\x80-\\xff]*$', examples: ['secret'] },
};

import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv';
import { isExternalSubject } from '@roomwire/shared/domain/tokenRevocation';
import { isNetwork } from '@roomwire/shared/runtime/networks';
import { validationError, type FailedConstraint } from './errors.js';
import { actorKeyIdPattern, bracketed, isUuid } from './request.js';
import type { JsonSchema } from './schema.js';

export type Validate = (value: unknown) => void;

const echoedCharacters = 200;
/** In one answer. */
export const listedFailures = 100;

/** Compiles a schema into a check that throws one validation error with an entry for each failed constraint. */
export const bodyValidator = (schema: JsonSchema): Validate => {
  const failuresOf = constraintsOf(schema);
  return (value) => {
    const failures = failuresOf(value);
    if (failures.length > 0) throw validationError(failures);
  };
};

/** Like `bodyValidator`, for a query: strings of numbers are converted in place, and a list may have one item. */
export const queryValidator = (schema: JsonSchema): Validate => {
  const check = bodyValidator(schema);
  const properties = Object.entries((schema['properties'] ?? {}) as Record<string, JsonSchema>);
  return (value) => {
    const query = value as Record<string, unknown>;
    for (const [name, { type }] of properties) {
      if (!(name in query)) continue;
      const isList = type === 'array' && name !== bracketed;
      query[name] = isList ? [query[name]].flat() : readNumber(query[name], type);
    }
    check(query);
  };
};

const numberPatterns: Readonly<Record<string, RegExp>> = {
  integer: /^[+-]?\d{1,15}$/,
  number: /^[+-]?\d+(?:\.\d+)?(?:e[+-]?\d{1,3})?$/i,
};

/** Text that is not a decimal number stays as it is, and fails the schema by its type. */
const readNumber = (value: unknown, type: unknown): unknown =>
  typeof value === 'string' && numberPatterns[String(type)]?.test(value) === true ? Number(value) : value;

/**
 * The constraints of a schema that a value fails, at most a hundred. Compiled at the first use: compiling all schemas would take a
 * large part of the start-up time.
 */
export const constraintsOf = (schema: JsonSchema): ((value: unknown) => readonly FailedConstraint[]) => {
  let validate: ValidateFunction | undefined;
  return (value) => {
    // Ajv would report each of a million unknown fields.
    const unknown = manyUnknownFields(schema, value, listedFailures);
    if (unknown !== undefined) return unknown.map(({ path, value: sent }) => unknownField(path, sent));
    validate ??= ajv.compile(schema);
    if (validate(value)) return [];
    return (validate.errors ?? []).filter(isOwnFailure).slice(0, listedFailures).map(failedConstraint);
  };
};

const unknownField = (path: readonly string[], value: unknown): FailedConstraint => ({
  path: dotted(path),
  value: shortened(value),
  message: 'is not a known field',
});

/** `propertyNames` and `if` report what failed within them and then themselves. */
const isOwnFailure = (error: ErrorObject): boolean => !['propertyNames', 'if'].includes(error.keyword);

const failedConstraint = (error: ErrorObject): FailedConstraint => {
  const path = error.instancePath.split('/').slice(1).map(unescapePointer);
  switch (error.keyword) {
    case 'required':
      return { path: dotted(path, error.params['missingProperty']), value: null, message: 'is required' };
    case 'additionalProperties': {
      const field = error.params['additionalProperty'] as string;
      const value = (error.data as Record<string, unknown>)[field];
      return unknownField([...path, field], value);
    }
    case 'enum':
      return {
        path: dotted(path),
        value: shortened(error.data),
        message: `must be one of ${(error.params['allowedValues'] as unknown[]).join(', ')}`,
      };
    default:
      return {
        path: dotted(path, error.propertyName),
        value: shortened(error.data),
        message: ownFormats[String(error.params['format'])] ?? error.message ?? 'is not valid',
      };
  }
};

/** What is wanted by formats of which only this service knows the names. */
const ownFormats: Readonly<Record<string, string>> = {
  'display-name': 'must have a visible character, and no NUL',
  'token-subject': 'must be the id or keyId of an actor, or ext: and a name of 1 to 200 characters',
  'webhook-url':
    'must be an http:// or https:// address of at most 2048 characters, without user and password',
  'webhook-header-name': 'must be the name of a header that neither frames the call nor is hop-by-hop',
  'header-value': 'must have only characters that a header may have',
  network: 'must be a network, like 10.1.0.0/16',
};

const unescapePointer = (segment: string): string => segment.replaceAll('~1', '/').replaceAll('~0', '~');

const dotted = (path: readonly string[], last?: unknown): string =>
  (typeof last === 'string' ? [...path, last] : path).join('.');

/** Values are echoed to help the sender, and need not be complete. */
const shortened = (value: unknown): unknown => {
  if (value === undefined) return null;
  const text = typeof value === 'string' ? value : JSON.stringify(beginningOf(value));
  return text.length <= echoedCharacters ? value : `${text.slice(0, echoedCharacters)}…`;
};

/** Of a list or an object with many entries, more than are echoed: the rest need not be written out. */
const beginningOf = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.slice(0, echoedCharacters);
  if (!isRecord(value)) return value;
  const beginning: Record<string, unknown> = {};
  let entries = 0;
  for (const name in value) {
    if (entries === echoedCharacters) break;
    beginning[name] = value[name];
    entries += 1;
  }
  return beginning;
};

export const timePattern =
  /^(\d{4}-\d\d-\d\d)T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d+)?(?:Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/;

/** RFC 3339, of a day that exists, in the years 1 to 9999 of UTC, without leap seconds. */
const isTime = (text: string): boolean => {
  const date = timePattern.exec(text)?.[1];
  if (date === undefined) return false;
  const [time, day] = [new Date(text), new Date(`${date}T00:00:00Z`)];
  if (Number.isNaN(time.getTime()) || Number.isNaN(day.getTime())) return false;
  // Date reads the 30th of February as a day in March.
  if (!day.toISOString().startsWith(date)) return false;
  const year = time.getUTCFullYear();
  return year >= 1 && year <= 9999;
};

/** Spaces, control characters except NUL, and invisible characters. */
const unseen = String.raw`\x01-\x20\x7f-\xa0\xad\u034f\u061c\u115f\u1160\u1680\u17b4\u17b5\u180b-\u180f\u2000-\u200f\u2028-\u202f\u205f-\u206f\u2800\u3000\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb`;

/** A visible character, and no NUL. It matches in one way only, because a name may be as long as a body. */
// eslint-disable-next-line no-misleading-character-class -- single characters are what it is about
export const displayNamePattern = new RegExp(`^[${unseen}]*[^\\x00${unseen}][^\\x00]*$`);

/** The empty name is left to `minLength`, so that it is reported once. */
const isDisplayName = (text: string): boolean =>
  text === '' || (displayNamePattern.test(text) && !/\p{Cs}/u.test(text));

const isWebhookUrl = (text: string): boolean => {
  if (text.length > 2048 || !URL.canParse(text)) return false;
  const url = new URL(text);
  return ['http:', 'https:'].includes(url.protocol) && url.username === '' && url.password === '';
};

/** These headers frame the call or are hop-by-hop: the webhook consumer sets them. */
const framingHeader =
  /^(?:host|content-length|transfer-encoding|connection|expect|keep-alive|upgrade|te|trailer|proxy-.*)$/i;

/** As Node's HTTP client accepts them (RFC 9110, 5.1 and 5.5). Its own checks throw, which costs a hundred times as much. */
const headerName = /^[\w!#$%&'*+.^`|~-]+$/;
const headerValue = /^[\t\x20-\x7e\x80-\xff]*$/;

const isWebhookHeaderName = (name: string): boolean => headerName.test(name) && !framingHeader.test(name);
const isHeaderValue = (value: string): boolean => headerValue.test(value);

const isTokenSubject = (text: string): boolean =>
  isExternalSubject(text) || isUuid(text) || actorKeyIdPattern.test(text);

/** The formats of this API, each with its check. */
export const formats = {
  uuid: isUuid,
  'date-time': isTime,
  'display-name': isDisplayName,
  'token-subject': isTokenSubject,
  'webhook-url': isWebhookUrl,
  'webhook-header-name': isWebhookHeaderName,
  'header-value': isHeaderValue,
  network: isNetwork,
};

const ajv = new Ajv({
  allErrors: true,
  verbose: true,
  allowUnionTypes: true,
  formats,
  // Shown in the API's description; the route checks it, because the specification has a message for it.
  keywords: ['exactlyOneOf'],
});

export interface UnknownField {
  readonly path: readonly string[];
  readonly value: unknown;
}

/**
 * The first `most` unknown fields of a value that has more of them than that, in all of its strict objects; undefined where it
 * has not. Costs no more than counting the fields.
 */
const manyUnknownFields = (
  schema: JsonSchema,
  value: unknown,
  most: number,
): readonly UnknownField[] | undefined => {
  const found: UnknownField[] = [];
  collectUnknown(schema, value, most + 1, [], found);
  return found.length > most ? found.slice(0, most) : undefined;
};

const collectUnknown = (
  schema: JsonSchema,
  value: unknown,
  enough: number,
  path: readonly string[],
  found: UnknownField[],
): void => {
  if (!isRecord(value)) return;
  const properties = schema['properties'] as Readonly<Record<string, JsonSchema>> | undefined;
  if (properties === undefined) return collectInMap(schema, value, enough, path, found);
  if (schema['additionalProperties'] === false)
    for (const field of unknownFields(value, properties, enough - found.length))
      found.push({ path: [...path, field], value: value[field] });
  for (const [field, inner] of Object.entries(properties)) {
    if (found.length >= enough) return;
    const sent = value[field];
    if (isRecord(sent)) collectUnknown(inner, sent, enough, [...path, field], found);
  }
};

/** Of a map past its limit, only that is reported. */
const collectInMap = (
  schema: JsonSchema,
  value: Readonly<Record<string, unknown>>,
  enough: number,
  path: readonly string[],
  found: UnknownField[],
): void => {
  const { additionalProperties } = (schema['then'] ?? {}) as JsonSchema;
  if (!isRecord(additionalProperties) || Object.keys(value).length > Number(schema['maxProperties'])) return;
  for (const name in value) {
    if (found.length >= enough) return;
    collectUnknown(additionalProperties, value[name], enough, [...path, name], found);
  }
};

const unknownFields = (value: object, properties: object, enough: number): string[] => {
  const found: string[] = [];
  for (const field in value) {
    if (Object.hasOwn(properties, field)) continue;
    found.push(field);
    if (found.length === enough) break;
  }
  return found;
};

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

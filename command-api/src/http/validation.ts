import { validateHeaderName, validateHeaderValue } from 'node:http';
import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv';
import ajvFormats from 'ajv-formats';
import { validationError, type FailedConstraint } from './errorAnswer.js';
import type { JsonSchema } from './route.js';

export type Validate = (value: unknown) => void;

const echoedCharacters = 200;

/** Compiles a schema into a check that throws one validation error with an entry for each failed constraint. */
export const bodyValidator = (schema: JsonSchema): Validate => throwing(() => bodies.compile(schema));

/** Like `bodyValidator`, for the strings of a query: numbers are read from them, in place. */
export const queryValidator = (schema: JsonSchema): Validate => throwing(() => queries.compile(schema));

const createAjv = (options: { coerceTypes: boolean }): Ajv => {
  const ajv = new Ajv({ allErrors: true, verbose: true, allowUnionTypes: true, ...options });
  // The package is CommonJS: its default export is the module's property of that name.
  ajvFormats.default(ajv, ['uuid', 'date-time']);
  ajv.addFormat('webhook-url', isWebhookUrl);
  ajv.addFormat('header-name', isHeaderName);
  ajv.addFormat('header-value', isHeaderValue);
  return ajv;
};

/** Compiled at the first use: all schemas together would be a good part of the time to start. */
const throwing = (compile: () => ValidateFunction): Validate => {
  let validate: ValidateFunction | undefined;
  return (value) => {
    validate ??= compile();
    if (!validate(value))
      throw validationError((validate.errors ?? []).filter(isOwnFailure).map(failedConstraint));
  };
};

/** `propertyNames` reports the name's failure and then itself. */
const isOwnFailure = (error: ErrorObject): boolean => error.keyword !== 'propertyNames';

const failedConstraint = (error: ErrorObject): FailedConstraint => {
  const path = error.instancePath.split('/').slice(1).map(unescapePointer);
  switch (error.keyword) {
    case 'required':
      return { path: dotted(path, error.params['missingProperty']), value: null, message: 'is required' };
    case 'additionalProperties': {
      const field = error.params['additionalProperty'] as string;
      const value = (error.data as Record<string, unknown>)[field];
      return { path: dotted(path, field), value: shortened(value), message: 'is not a known field' };
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
        message: error.message ?? 'is not valid',
      };
  }
};

const unescapePointer = (segment: string): string => segment.replaceAll('~1', '/').replaceAll('~0', '~');

const dotted = (path: readonly string[], last?: unknown): string =>
  (typeof last === 'string' ? [...path, last] : path).join('.');

/** A value is echoed to help its sender, not to be carried around. */
const shortened = (value: unknown): unknown => {
  if (value === undefined) return null;
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return text.length <= echoedCharacters ? value : `${text.slice(0, echoedCharacters)}…`;
};

const isWebhookUrl = (text: string): boolean => {
  if (text.length > 2048 || !URL.canParse(text)) return false;
  const url = new URL(text);
  return ['http:', 'https:'].includes(url.protocol) && url.username === '' && url.password === '';
};

const succeeds = (check: () => void): boolean => {
  try {
    check();
    return true;
  } catch {
    return false;
  }
};

const isHeaderName = (name: string): boolean => succeeds(() => validateHeaderName(name));
const isHeaderValue = (value: string): boolean => succeeds(() => validateHeaderValue('x-header', value));

const bodies = createAjv({ coerceTypes: false });
const queries = createAjv({ coerceTypes: true });

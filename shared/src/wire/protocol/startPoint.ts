import { integer, object, union, within, type Schema } from '../schema.js';
import { maxHistoryMessages } from './limits.js';
import { positionText } from './position.js';

/** Where a subscription begins in the record of its topic. */
export type StartPoint =
  | { readonly position: string }
  /** The newest ones, so many. */
  | { readonly last: number }
  /** Unix milliseconds. */
  | { readonly since: number };

const forms: Schema<StartPoint> = union(
  object({ position: positionText }),
  object({ last: within(0, maxHistoryMessages, integer) }),
  object({ since: within(0, Number.MAX_SAFE_INTEGER, integer) }),
);

const names = ['position', 'last', 'since'] as const;

/** One of the three forms, and not two. */
export const startPoint: Schema<StartPoint> = {
  json: forms.json,
  is: (value): value is StartPoint =>
    forms.is(value) &&
    names.filter((name) => (value as Readonly<Record<string, unknown>>)[name] !== undefined).length === 1,
};

/** More than any of them takes as MessagePack, with a field that is not known. */
export const startPointBytes = 256;

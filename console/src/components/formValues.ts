import { problemAt } from '../api/failure.js';
import { utcTime } from './localTime.js';

/** What stands in the fields of a form, by their names. */
export interface FormValues {
  /** Trimmed, empty where nothing was entered. */
  text(name: string): string;
  /** Undefined where nothing was entered, so that the request leaves it out. */
  optional(name: string): string | undefined;
  /** Undefined where nothing was entered. */
  number(name: string): number | undefined;
  /** ISO 8601, of what a `datetime-local` field has; undefined where nothing was entered. */
  time(name: string): string | undefined;
  flag(name: string): boolean;
  /** One entry a line, or separated by commas. */
  list(name: string): string[];
  /** Throws a problem of the field where it is no JSON; undefined where nothing was entered. */
  json(name: string): unknown;
}

export const readForm = (data: FormData): FormValues => {
  const text = (name: string): string => {
    const value = data.get(name);
    return typeof value === 'string' ? value.trim() : '';
  };
  const optional = (name: string): string | undefined => text(name) || undefined;
  return {
    text,
    optional,
    number: (name) => {
      const given = optional(name);
      return given === undefined ? undefined : Number(given);
    },
    time: (name) => utcTime(text(name)) || undefined,
    flag: (name) => data.has(name),
    list: (name) =>
      text(name)
        .split(/[\n,]/)
        .map((entry) => entry.trim())
        .filter((entry) => entry !== ''),
    json: (name) => {
      const given = optional(name);
      try {
        return given === undefined ? undefined : (JSON.parse(given) as unknown);
      } catch (error) {
        throw problemAt(name, `This is not JSON: ${(error as Error).message}`);
      }
    },
  };
};

import { EngineUnavailable } from '../../ports/errors.js';
import { reasonOf } from '../../runtime/outage.js';
import { redactText } from '../../credentials/redactText.js';

const secretField = /token|secret|authorization|password|api_?key|signing_?key|cookie|headers/i;

const deepest = 6;

/** Makes a value safe to log: removes fields with secret names, masks credentials in texts and turns errors into text. */
export const redact = (value: unknown, depth = 0): unknown => {
  if (typeof value === 'string') return redactText(value);
  if (value instanceof Error) return redactError(value, depth);
  if (typeof value === 'bigint') return value.toString();
  if (typeof value !== 'object' || value === null) return value;
  if (depth >= deepest || ArrayBuffer.isView(value)) return '[…]';
  if (Array.isArray(value)) return value.map((each) => redact(each, depth + 1));
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => [
      name,
      secretField.test(name) && typeof each !== 'number' ? '[redacted]' : redact(each, depth + 1),
    ]),
  );
};

const redactError = (error: Error, depth: number): unknown => {
  const { name } = error;
  const message = redactText(error.message);
  // What it was called by does not matter: the engine is away.
  if (error instanceof EngineUnavailable) return { name, message, reason: redactText(reasonOf(error)) };
  return {
    ...{ name, message, stack: redactText(error.stack ?? '') },
    ...(error.cause === undefined || depth >= deepest ? {} : { cause: redact(error.cause, depth + 1) }),
  };
};

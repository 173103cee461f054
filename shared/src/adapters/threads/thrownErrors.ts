import { EngineUnavailable, JobRequeued } from '../../ports/errors.js';
import { StaleTerm } from '../../ports/jobStore.js';

/** An error as it goes to another thread: a clone of it would lose its class and its name. */
export interface ThrownError {
  readonly name: string;
  readonly message: string;
  readonly stack: string | undefined;
}

/** Those that callers tell apart. */
const kinds: Readonly<Record<string, { readonly prototype: Error }>> = {
  EngineUnavailable,
  JobRequeued,
  StaleTerm,
};

export const packError = (error: unknown): ThrownError =>
  error instanceof Error
    ? { name: error.name, message: error.message, stack: error.stack }
    : { name: 'Error', message: String(error), stack: undefined };

export const unpackError = ({ name, message, stack }: ThrownError): Error => {
  const error = new Error(message);
  const kind = kinds[name];
  if (kind !== undefined) Object.setPrototypeOf(error, kind.prototype);
  const hidden = { enumerable: false, configurable: true, writable: true };
  return Object.defineProperties(error, {
    name: { ...hidden, value: name },
    stack: { ...hidden, value: stack },
  });
};

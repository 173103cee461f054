import type { AttemptResult } from './attempt.js';
import { ForbiddenAddress } from './guardedLookup.js';
import { ProxyRefused } from './proxyAgent.js';

/** What an operator may read of a system error. Messages of the libraries name addresses and URLs. */
const reasons: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'The connection was refused',
  ECONNRESET: 'The connection was reset',
  EPIPE: 'The connection was reset',
  ENOTFOUND: 'The name of the endpoint is not known',
  EAI_AGAIN: 'The name of the endpoint could not be looked up',
  EHOSTUNREACH: 'The endpoint cannot be reached',
  ENETUNREACH: 'The endpoint cannot be reached',
  ETIMEDOUT: 'The connection could not be made in time',
};

export const failureOf = (error: unknown, attemptMs: number): AttemptResult => {
  const all = causes(error);
  const forbidden = all.find((cause) => cause instanceof ForbiddenAddress);
  if (forbidden) return { kind: 'forbidden', reason: forbidden.message };
  const refused = all.find((cause) => cause instanceof ProxyRefused);
  if (refused) return { kind: 'unreachable', isTimeout: false, reason: refused.message };
  const { code = '' } = error as NodeJS.ErrnoException;
  if (all.some(({ name }) => name === 'TimeoutError'))
    return { kind: 'unreachable', isTimeout: true, reason: `No answer within ${attemptMs / 1_000} s` };
  return { kind: 'unreachable', isTimeout: false, reason: reasonOf(code) };
};

const reasonOf = (code: string): string => {
  const known = reasons[code];
  if (known !== undefined) return known;
  if (/^(?:CERT_|ERR_TLS|DEPTH_|SELF_SIGNED|UNABLE_TO|ERR_SSL|EPROTO)/.test(code))
    return `TLS failed (${code})`;
  return code.startsWith('HPE_') ? 'The answer is not HTTP' : 'The call broke off without an answer';
};

const causes = (error: unknown): readonly Error[] => {
  const found: Error[] = [];
  for (let cause = error; cause instanceof Error && found.length < 5; cause = cause.cause) found.push(cause);
  return found;
};

import { Agent as HttpAgent, type IncomingMessage } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import type { LookupFunction } from 'node:net';
import { Buffer } from 'node:buffer';
import got, { type Request } from 'got';
import { AttemptCutOff, type AttemptResult, type MakeAttempt } from './attempt.js';
import {
  createGuardedLookup,
  ForbiddenAddress,
  isForbiddenHost,
  type Resolve,
  reachOf,
  type ReachOptions,
} from './addresses.js';
import { createFairLookup } from './fairLookup.js';
import { GuardedProxyAgent, type ProxyOptions, ProxyRefused } from './proxyAgent.js';

export interface AttemptOptions extends ReachOptions {
  readonly attemptMs: number;
  /** An HTTP proxy that all calls go through. */
  readonly proxy?: string | undefined;
  /** Instead of the operating system's, in turns. */
  readonly resolve?: Resolve;
}

/** Shorter than what servers commonly keep a connection for: one that they close is seldom used again just then. */
const idleConnectionMs = 4_000;
/** What is not read of an answer this small or soon is thrown away, and the connection used again. */
const discardedBytes = 64 * 1024;
const discardingMs = 1_000;

/** Connections are kept for each origin, and used again for the next call to it. */
const agentOptions = {
  keepAlive: true,
  maxFreeSockets: 64,
  scheduling: 'lifo',
  timeout: idleConnectionMs,
} as const;

export interface Caller {
  readonly attempt: MakeAttempt;
  /** Cuts off what is under way. */
  close(): void;
}

/** Calls over HTTP. [HOOK-CALL-1] No redirects, no retries, no cookies, no proxies of the environment. */
export const createCaller = (options: AttemptOptions): Caller => {
  const { attemptMs, proxy, resolve = createFairLookup({ patienceMs: attemptMs }) } = options;
  const isAllowed = reachOf(options);
  const lookup = createGuardedLookup(isAllowed, resolve);
  const agent = proxy === undefined ? directAgents(lookup) : proxyAgents({ proxy, lookup, attemptMs });
  const client = got.extend({
    agent,
    method: 'POST',
    timeout: { request: attemptMs },
    // Lists that are not used are not copied for each call.
    retry: { limit: 0, methods: [], statusCodes: [], errorCodes: [] },
    followRedirect: false,
    throwHttpErrors: false,
    decompress: false,
  });

  const underWay = new Set<Request>();
  let isOpen = true;

  const attempt: MakeAttempt = async ({ url, headers, body, answerBytes }) => {
    if (!isOpen) throw new AttemptCutOff();
    const target = new URL(url);
    if (isForbiddenHost(target, isAllowed)) return failureOf(new ForbiddenAddress(), attemptMs);
    const request = client(target, { headers, body, isStream: true });
    underWay.add(request);
    try {
      return await answerTo(request, answerBytes);
    } catch (error) {
      if (!isOpen) throw new AttemptCutOff();
      return failureOf(error, attemptMs);
    } finally {
      underWay.delete(request);
    }
  };

  return {
    attempt,
    close() {
      isOpen = false;
      for (const request of underWay) request.destroy(new AttemptCutOff());
      agent.http.destroy();
      agent.https.destroy();
    },
  };
};

/** The guard is part of the agents: they cannot connect to a name without it. */
const directAgents = (lookup: LookupFunction) => {
  const guarded = { ...agentOptions, lookup };
  return { http: new HttpAgent(guarded), https: new HttpsAgent(guarded) };
};

const proxyAgents = (options: ProxyOptions) => {
  const tunnels = new GuardedProxyAgent(options, agentOptions);
  return { http: tunnels, https: tunnels as unknown as HttpsAgent };
};

const answerTo = async (request: Request, answerBytes: number): Promise<AttemptResult> => {
  const { statusCode: status = 0, headers } = await headOf(request);
  const retryAfter = headers['retry-after'];
  const answered = { kind: 'answered', status, ...(retryAfter !== undefined && { retryAfter }) } as const;
  const isWanted = answerBytes > 0 && status < 300;
  if (isWanted) return { ...answered, body: await boundedBody(request, answerBytes) };
  discard(request);
  return { ...answered, body: undefined };
};

const headOf = (request: Request): Promise<IncomingMessage> =>
  new Promise((resolve, reject) => {
    request.once('response', resolve);
    // Stays: errors after the answer are ignored.
    request.on('error', reject);
  });

/** Only the status matters: the rest is not awaited. */
const discard = (request: Request): void => {
  const late = setTimeout(() => request.destroy(), discardingMs);
  const over = (): void => clearTimeout(late);
  let bytes = 0;
  request.on('data', (chunk: Uint8Array) => {
    bytes += chunk.length;
    if (bytes > discardedBytes) request.destroy();
  });
  // A stream of got does not close when it has ended: until the timer, all of it would stay in memory.
  request.once('end', over);
  request.once('close', over);
};

/** Undefined where there is more of it. Leaving the loop early destroys the stream. */
const boundedBody = async (
  stream: AsyncIterable<Uint8Array>,
  mostBytes: number,
): Promise<Buffer | undefined> => {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of stream) {
    bytes += chunk.length;
    if (bytes > mostBytes) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
};

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

const failureOf = (error: unknown, attemptMs: number): AttemptResult => {
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

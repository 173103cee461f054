import { Agent as HttpAgent, type IncomingMessage } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import got, { type Request } from 'got';
import { AttemptCutOff, type AttemptResult, type MakeAttempt } from './attempt.js';
import { boundedBody } from './boundedBody.js';
import { failureOf } from './failureOf.js';
import { createGuardedLookup, ForbiddenAddress, isForbiddenHost, type Resolve } from './guardedLookup.js';

export interface AttemptOptions {
  readonly allowPrivate: boolean;
  readonly attemptMs: number;
  /** Instead of the operating system's. */
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
export const createCaller = ({ allowPrivate, attemptMs, resolve }: AttemptOptions): Caller => {
  const agent = { http: new HttpAgent(agentOptions), https: new HttpsAgent(agentOptions) };
  const client = got.extend({
    agent,
    ...(allowPrivate ? {} : { dnsLookup: createGuardedLookup(resolve) as never }),
    timeout: { request: attemptMs },
    retry: { limit: 0 },
    followRedirect: false,
    throwHttpErrors: false,
    decompress: false,
  });

  const underWay = new Set<Request>();
  let isOpen = true;

  const attempt: MakeAttempt = async ({ url, headers, body, answerBytes }) => {
    if (!isOpen) throw new AttemptCutOff();
    const target = new URL(url);
    if (!allowPrivate && isForbiddenHost(target)) return failureOf(new ForbiddenAddress(), attemptMs);
    const request = client.stream.post(target, { headers, body });
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

const answerTo = async (request: Request, answerBytes: number): Promise<AttemptResult> => {
  const status = await statusOf(request);
  const isWanted = answerBytes > 0 && status < 300;
  if (isWanted) return { kind: 'answered', status, body: await boundedBody(request, answerBytes) };
  discard(request);
  return { kind: 'answered', status, body: undefined };
};

const statusOf = (request: Request): Promise<number> =>
  new Promise((resolve, reject) => {
    request.once('response', ({ statusCode }: IncomingMessage) => resolve(statusCode ?? 0));
    // Stays: what goes wrong after the answer is nobody's business.
    request.on('error', reject);
  });

/** The status says it all: nobody waits for the rest. */
const discard = (request: Request): void => {
  const late = setTimeout(() => request.destroy(), discardingMs);
  let bytes = 0;
  request.on('data', (chunk: Uint8Array) => {
    bytes += chunk.length;
    if (bytes > discardedBytes) request.destroy();
  });
  request.once('close', () => clearTimeout(late));
};

import { RequestFailed } from './errors.js';

export interface RetryOptions {
  /** How often a request is sent again, 3 unless given. */
  readonly retries: number;
  /** Of one try, in milliseconds. */
  readonly timeoutMs: number;
  readonly pause: (ms: number) => Promise<void>;
  /** From 0 to 1. */
  readonly random: () => number;
}

type Fetch = (request: Request) => Promise<Response>;

const firstPauseMs = 250;
const longestPauseMs = 10_000;

/**
 * Sends again what may be sent again: after no answer, 429, 502, 503 and 504, as soon as `Retry-After` allows, if that is within 10 s. Only
 * for requests that change nothing the second time. Rejects with `RequestFailed` when there was no answer at all.
 */
export const retryingFetch =
  (fetch: Fetch, { retries, timeoutMs, pause, random }: RetryOptions): Fetch =>
  async (request) => {
    for (let tries = 0; ; tries += 1) {
      const isLast = tries >= retries;
      const answer = await attempt(fetch, request, timeoutMs);
      if (answer instanceof Response && (isLast || !isWorthAnother(answer))) return answer;
      if (!(answer instanceof Response) && isLast)
        throw new RequestFailed(`${new URL(request.url).origin}: ${reasonOf(answer)}`, undefined, {
          cause: answer,
        });
      const afterMs = answer instanceof Response ? retryAfterMs(answer) : undefined;
      if (answer instanceof Response && afterMs !== undefined && afterMs > longestPauseMs) return answer;
      // By chance, so that many backends do not come back at once.
      await pause(
        afterMs === undefined
          ? Math.min(longestPauseMs, firstPauseMs * 2 ** tries) * (1 - random() / 2)
          : afterMs + firstPauseMs * random(),
      );
    }
  };

const attempt = async (fetch: Fetch, request: Request, timeoutMs: number): Promise<Response | Error> => {
  try {
    // A body is read once: each try sends a copy.
    const signal = AbortSignal.any([request.signal, AbortSignal.timeout(timeoutMs)]);
    return await fetch(new Request(request.clone(), { signal }));
  } catch (error) {
    if (request.signal.aborted) throw error;
    return error as Error;
  }
};

const isWorthAnother = ({ status }: Response): boolean =>
  status === 429 || status === 502 || status === 503 || status === 504;

const retryAfterMs = ({ headers }: Response): number | undefined => {
  const seconds = headers.get('retry-after');
  return seconds === null || !/^\d+$/.test(seconds) ? undefined : Number(seconds) * 1_000;
};

const reasonOf = ({ message, cause }: Error): string => {
  if (!(cause instanceof Error)) return message;
  return `${message}: ${cause.message || (cause as Error & { readonly code?: string }).code}`;
};

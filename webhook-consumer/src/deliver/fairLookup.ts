import { lookup, promises as dns } from 'node:dns';
import type { Resolve } from './addresses.js';

/** Whether the name servers of a host answer at all, with addresses or without; never rejects. */
export type IsAnswered = (host: string) => Promise<boolean>;

export interface FairLookupOptions {
  /** How long who asks waits for the answer. */
  readonly patienceMs: number;
  readonly resolve?: Resolve;
  readonly isAnswered?: IsAnswered;
}

interface Waiting {
  readonly host: string;
  readonly since: number;
  readonly look: (done: () => void) => void;
  readonly giveUp: () => void;
}

/**
 * [HOOK-ISOLATION-4] The system looks up two names at a time, and takes its time over one that nobody answers for: a few of
 * those would stop the calls of everybody. So name servers are asked first, which holds nothing up, and the names that they leave
 * unanswered, which the system may know all the same, are looked up one after the other.
 */
export const createFairLookup = ({
  patienceMs,
  resolve = lookup,
  isAnswered = nameServersAnswer(),
}: FairLookupOptions): Resolve => {
  const silent: Waiting[] = [];
  let isBusy = false;

  const next = (): void => {
    const one = silent.shift();
    isBusy = one !== undefined;
    if (one === undefined) return;
    // Its call has ended.
    if (performance.now() - one.since > patienceMs) {
      one.giveUp();
      return next();
    }
    one.look(next);
  };

  return (host, options, callback) => {
    const since = performance.now();
    void isAnswered(host).then((answered) => {
      if (answered) return resolve(host, options, callback);
      silent.push({
        host,
        since,
        look: (done) =>
          resolve(host, options, (error, addresses) => {
            done();
            callback(error, addresses);
          }),
        giveUp: () => callback(unanswered(host), []),
      });
      if (!isBusy) next();
    });
  };
};

const unanswered = (host: string): NodeJS.ErrnoException =>
  Object.assign(new Error(`No name server answers for ${host}`), { code: 'EAI_AGAIN' });

const nameServersAnswer = (): IsAnswered => {
  const resolver = new dns.Resolver({ timeout: 1_000, tries: 2 });
  return async (host) => {
    if (/(?:^|\.)localhost\.?$/i.test(host)) return true;
    const answers = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)]);
    return !answers.some((answer) => answer.status === 'rejected' && isSilence(answer.reason));
  };
};

const isSilence = (error: unknown): boolean => (error as NodeJS.ErrnoException).code === dns.TIMEOUT;

import { lookup, promises as dns } from 'node:dns';
import type { Resolve } from './addresses.js';

/** Whether the name servers of a host answer at all, with addresses or without; never rejects. */
export type IsAnswered = (host: string) => Promise<boolean>;

export interface FairLookupOptions {
  /** How long a call waits for its address. */
  readonly patienceMs: number;
  readonly resolve?: Resolve;
  readonly isAnswered?: IsAnswered;
  /** A look-up that takes longer makes its host a slow one. */
  readonly slowMs?: number;
}

/** How long a host is known for slow. */
const knownForMs = 60_000;
/** The hosts that are known for it, at most; of too many, the last ones. */
const mostSlow = 10_000;

class SlowHosts {
  private readonly until = new Map<string, number>();

  has(host: string): boolean {
    return performance.now() < (this.until.get(host) ?? 0);
  }

  add(host: string): void {
    // Back to the end, so that the first is the one to forget.
    this.until.delete(host);
    this.until.set(host, performance.now() + knownForMs);
    if (this.until.size > mostSlow) this.until.delete(this.until.keys().next().value as string);
  }
}

/**
 * [HOOK-ISOLATION-4] The system looks up two names at a time, and takes its time over one that nobody answers for: a few of
 * those would stop the calls of everybody. So name servers are asked first, which holds nothing up. The names that they leave
 * unanswered, which the system may know all the same, are looked up one after the other, as are those that were slow.
 */
export const createFairLookup = ({
  patienceMs,
  resolve = lookup,
  isAnswered = nameServersAnswer(),
  slowMs = 1_000,
}: FairLookupOptions): Resolve => {
  const slow = new SlowHosts();
  /** The end of the last slow look-up that was asked for. */
  let lane = Promise.resolve();

  const isQuick = async (host: string): Promise<boolean> => {
    if (slow.has(host)) return false;
    const answered = await isAnswered(host);
    if (!answered) slow.add(host);
    return answered;
  };

  return (host, options, callback) => {
    const since = performance.now();
    const look = (): Promise<void> =>
      new Promise((done) => {
        const begun = performance.now();
        resolve(host, options, (error, addresses) => {
          if (performance.now() - begun > slowMs) slow.add(host);
          done();
          callback(error, addresses);
        });
      });
    const lookInTurn = async (): Promise<void> => {
      // Its call has ended.
      if (performance.now() - since > patienceMs) return callback(unanswered(host), []);
      await look();
    };
    void isQuick(host).then((quick) => {
      if (quick) void look();
      else lane = lane.then(lookInTurn);
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

import { expect } from 'chai';
import { Renewal } from '../src/connection/renewal.js';
import { Tokens } from '../src/connection/tokens.js';
import { readOptions } from '../src/options.js';
import type { Schedule } from '../src/primitives.js';

const clients = 500;
const lifeMs = 120_000;
const windowMs = 10_000;
const lives = 8;

/** Park and Miller's: the same chance in every run. */
const seeded = (seed: number) => (): number => {
  seed = (seed * 48_271) % 2_147_483_647;
  return seed / 2_147_483_647;
};

/** Timers by the millisecond at which they are due. */
class VirtualTime {
  nowMs = 0;
  private readonly due = new Map<number, Set<{ readonly action: () => void }>>();

  readonly schedule: Schedule = (action, delayMs) => {
    const at = this.nowMs + Math.max(1, Math.round(delayMs));
    const actions = this.due.get(at) ?? new Set();
    const timer = { action };
    this.due.set(at, actions.add(timer));
    return () => void actions.delete(timer);
  };

  async runTo(endMs: number): Promise<void> {
    for (; this.nowMs < endMs; this.nowMs += 1) {
      const actions = this.due.get(this.nowMs);
      if (actions === undefined) continue;
      this.due.delete(this.nowMs);
      for (const { action } of actions) action();
      // A renewal takes no time here: what it awaits is there.
      await new Promise(setImmediate);
    }
  }
}

/** The most token requests of a window, as a multiple of the mean, of clients that have connected over a time. */
const worstShare = async (connectedOverMs: number, seed: number): Promise<number> => {
  const time = new VirtualTime();
  const random = seeded(seed);
  const requests: number[] = [];
  const connect = (): Renewal => {
    let count = 0;
    const token = (): string => {
      requests.push(time.nowMs);
      return `t${++count}`;
    };
    const now = (): number => time.nowMs;
    const settings = readOptions({ url: 'ws://localhost/ws', token, schedule: time.schedule, random, now });
    const expiresAt = (): number => (time.nowMs + lifeMs) / 1_000;
    const context = {
      ...{ tokens: new Tokens(settings), schedule: time.schedule, random, now },
      reauthenticate: () => Promise.resolve(expiresAt()),
      onError: (error: Error) => expect.fail(error.message),
    };
    return new Renewal(context, expiresAt());
  };
  for (let n = 0; n < clients; n += 1) time.schedule(connect, (connectedOverMs * n) / clients);
  await time.runTo(connectedOverMs + lives * lifeMs);
  const counts = new Array<number>((lives * lifeMs) / windowMs).fill(0);
  for (const at of requests.filter((at) => at >= connectedOverMs)) {
    const window = Math.floor((at - connectedOverMs) / windowMs);
    counts[window] = (counts[window] ?? 0) + 1;
  }
  return (Math.max(...counts) * counts.length) / counts.reduce((sum, count) => sum + count);
};

describe('many clients whose tokens expire', function () {
  this.timeout(60_000);

  for (const seed of [1, 2, 3]) {
    it(`ask for at most twice the mean in 10 s when they connected evenly (seed ${seed})`, async () => {
      expect(await worstShare(lifeMs, seed)).to.be.at.most(2);
    });

    it(`ask for at most three times the mean in 10 s when they connected at once (seed ${seed})`, async () => {
      expect(await worstShare(0, seed)).to.be.at.most(3);
    });
  }
});

import { spawnSync } from 'node:child_process';
import { setMaxListeners } from 'node:events';
import { readdirSync } from 'node:fs';
import { constants, setPriority } from 'node:os';
import { serveJobs } from '../../process/worker.js';
import { outOfStepMs, sleep } from './attacks/attack.js';
import { attacksNamed } from './attacks/attacks.js';
import { countIn, type Outcomes } from './outcomes.js';
import type { HostileTenant } from './tenant.js';

export interface AttackJob {
  readonly tenant: HostileTenant;
  readonly seconds: number;
  /** Of the names of the attacks. */
  readonly part: string;
}

/** On Linux a priority is that of a thread: those that collect garbage are there already, and do not inherit it. */
const ownThreads = (): readonly number[] =>
  process.platform === 'linux' ? readdirSync('/proc/self/task').map(Number) : [process.pid];

/**
 * Those who attack have machines of their own: the work of making attacks must not take the time of the service or of others.
 * A thread of Linux's idle policy gives way at once, one of the lowest priority after its slice of a few milliseconds.
 */
const giveWayToOthers = (): void => {
  const { status } = spawnSync('chrt', ['--all-tasks', '--idle', '--pid', '0', String(process.pid)]);
  if (status === 0) return;
  for (const thread of ownThreads()) setPriority(thread, constants.priority.PRIORITY_LOW);
};

giveWayToOthers();

serveJobs<AttackJob, Outcomes>(async ({ tenant, seconds, part }) => {
  const outcomes: Outcomes = {};
  const signal = AbortSignal.timeout(Math.round(seconds * 1_000));
  // Each pause of each attack listens to it.
  setMaxListeners(0, signal);
  await Promise.all(
    attacksNamed(part).map(async (attack, index, all) => {
      await sleep(outOfStepMs(index, all.length), signal);
      await attack.run({ tenant, count: countIn(outcomes, attack.name), signal });
    }),
  );
  return outcomes;
});

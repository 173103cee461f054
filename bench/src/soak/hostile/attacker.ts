import { setMaxListeners } from 'node:events';
import { serveJobs } from '../../process/worker.js';
import { attacks } from './attacks/attacks.js';
import { countIn, type Outcomes } from './outcomes.js';
import type { HostileTenant } from './tenant.js';

export interface AttackJob {
  readonly tenant: HostileTenant;
  readonly seconds: number;
}

serveJobs<AttackJob, Outcomes>(async ({ tenant, seconds }) => {
  const outcomes: Outcomes = {};
  const signal = AbortSignal.timeout(seconds * 1_000);
  // Each pause of each attack listens to it.
  setMaxListeners(0, signal);
  await Promise.all(
    attacks.map((attack) => attack.run({ tenant, count: countIn(outcomes, attack.name), signal })),
  );
  return outcomes;
});

import type { GeneratorJob } from '../generator/jobs.js';
import { startGenerator } from '../generator/startGenerator.js';
import type { Measurement, Row } from '../measure/comparison.js';
import { inAlternation } from '../measure/rounds.js';
import type { Started } from '../process/started.js';
import type { Server } from './peers.js';
import type { Ground } from './scenario.js';

type Job = Extract<GeneratorJob, { kind: 'chat' | 'storm' | 'idle' | 'presence' | 'groups' }>;

/** All servers in alternation, each under the job that is made for it. */
export const measureServers = <S extends Server>(
  { cores, settings, say }: Ground,
  started: Started,
  servers: readonly S[],
  jobFor: (server: S) => Job,
): Promise<readonly Row[]> => {
  const generator = started.add(startGenerator(cores.generator));
  const peers = servers.map((server) => ({
    name: server.name,
    measure(round: number): Promise<Measurement> {
      const job = jobFor(server);
      say(`${job.kind}: round ${round + 1} of ${settings.runs}, ${server.name}`);
      return generator.run(job);
    },
  }));
  return inAlternation(peers, settings.runs);
};

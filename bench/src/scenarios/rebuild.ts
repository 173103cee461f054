import { onEngines, type RunningEngines } from '../engines/onEngines.js';
import { type Figure, inAlternation } from '../measure/comparison.js';
import { startWorker } from '../process/worker.js';
import { withStarted } from '../process/children.js';
import type { Profile, RebuildJob, RebuildResult } from '../rebuild/rebuild.js';
import type { Ground, Scenario } from './scenario.js';

const events = 100_000;
const apps = 4;

const figures: readonly [Figure, ...Figure[]] = [
  { name: 'eventsPerSecond', label: 'events/s', unit: 'rate' },
  { name: 'seconds', label: 'time', unit: 'milliseconds' },
  { name: 'cpuPerEvent', label: 'us/event', unit: 'microseconds' },
];

const notes = [
  `${events} RoomCreated events in ${apps} streams; every event also goes to the feed, as after every start with empty ` +
    `read models; each rebuild in a new process, whose CPU time is shown without that of the engines; not pinned`,
];

export const rebuild: Scenario = {
  name: 'rebuild',
  summary: 'all read models from a log of 100,000 events: on files, on engines',
  needsEngines: true,

  run: (ground) =>
    onEngines(ground, async (engines) => {
      const { settings, say } = ground;
      const peers = [];
      for (const { name, profile } of await profilesOf(ground, engines)) {
        say(`rebuild: filling, ${name}`);
        await runOnce({ kind: 'fill', profile, events, apps });
        peers.push({
          name,
          measure: (round: number) => {
            say(`rebuild: round ${round + 1} of ${settings.runs}, ${name}`);
            return runOnce({ kind: 'rebuild', profile, events });
          },
        });
      }
      const rows = await inAlternation(peers, settings.runs);
      return [{ title: 'Rebuilding the read models', figures, rows, notes }];
    }),
};

const profilesOf = async (
  { folder }: Ground,
  engines: RunningEngines,
): Promise<readonly { readonly name: string; readonly profile: Profile }[]> => [
  { name: 'Roomwire on files', profile: { on: 'files', folder: await folder.inside('rebuild') } },
  {
    name: 'Roomwire on EventStoreDB (stand-in), FerretDB and Kafka',
    profile: { on: 'engines', engines },
  },
];

/** A rebuild happens at the start of a process, with nothing compiled yet. */
const runOnce = (job: RebuildJob): Promise<RebuildResult> =>
  withStarted(async (started) => {
    const module = new URL('../rebuild/main.js', import.meta.url);
    return started.add(startWorker<RebuildJob, RebuildResult>(module, undefined)).run(job);
  });

import { setTimeout as pause } from 'node:timers/promises';
import { openEventStoreDbLog } from '@roomwire/shared/adapters/event-log/eventstoredb/eventStoreDbLog';
import { openMongoSnapshotStore } from '@roomwire/shared/adapters/snapshot-store/mongoSnapshotStore';
import { openMongoViewStores } from '@roomwire/shared/adapters/view-store/mongo/mongoViewStore';
import { roomsStream } from '@roomwire/shared/domain/room';
import type { SnapshotStore } from '@roomwire/shared/ports/snapshotStore';
import { onEngines, type RunningEngines } from '../engines/onEngines.js';
import { type RestResult, startGenerator } from '../generator/jobs.js';
import { type Comparison, type Figure, inAlternation, type Measurement } from '../measure/comparison.js';
import { processMegabytes } from '../measure/usage.js';
import { restSender, roomwireApi } from '../peers/roomwire.js';
import { createProject, type RunningService, startService } from '../peers/roomwireService.js';
import { type Started, withStarted } from '../process/children.js';
import { fillLog, grantedRooms } from '../storage/history.js';
import type { Ground, Scenario } from './scenario.js';

const rooms = 100_000;
const connections = 32;
const warmUpSeconds = 3;

/** An app with so many rooms, and the key of its project. */
interface LargeApp {
  readonly stream: string;
  /** Where its rooms are created. */
  readonly path: string;
  readonly apiKey: string;
}

const firstWriteFigures: readonly [Figure, ...Figure[]] = [
  { name: 'firstWrite', label: 'first write after', unit: 'milliseconds' },
  { name: 'memory', label: 'RSS then', unit: 'megabytes' },
];

const rateFigures: readonly [Figure, ...Figure[]] = [
  { name: 'requestsPerSecond', label: 'creates/s each', unit: 'rate' },
  { name: 'p50', label: 'p50', unit: 'milliseconds' },
  { name: 'p99', label: 'p99', unit: 'milliseconds' },
  { name: 'cpuPerRequest', label: 'server us/request', unit: 'microseconds' },
];

const notes = [
  `an app with ${rooms} rooms and a grant on each; stand-in for EventStoreDB, FerretDB and Kafka on the same cores; not pinned`,
];

export const writers: Scenario = {
  name: 'writers',
  summary: `two command-apis that create rooms in one app with ${rooms} rooms and grants, and the first write of a new one, on engines`,
  needsEngines: true,

  run: (ground) =>
    onEngines(ground, async (engines, started) => {
      const app = await makeLargeApp(ground, engines, started);
      const snapshots = await openMongoSnapshotStore({ url: engines.mongodbUrl });
      try {
        return [await firstWrites(ground, engines, app, snapshots), await sideBySide(ground, engines, app)];
      } finally {
        await snapshots.close();
      }
    }),
};

const makeLargeApp = async (
  { say }: Ground,
  engines: RunningEngines,
  started: Started,
): Promise<LargeApp> => {
  started.add(await startService('projections', engines));
  return withStarted(async (briefly) => {
    const { port } = briefly.add(await startService('command-api', engines));
    const { apiKey, ...owner } = await createProject(port);
    const { appId } = await roomwireApi({ port, credentials: { apiKey } }).createApp('load');
    say(`writers: filling an app with ${rooms} rooms`);
    const log = await openEventStoreDbLog({ url: engines.eventStoreUrl });
    const stores = await openMongoViewStores({ url: engines.mongodbUrl });
    try {
      await fillLog(log, grantedRooms(owner, appId, rooms));
      const head = (await log.head()) ?? '';
      if (!(await stores.views.reached(head, 300_000))) throw new Error('The read models stay behind');
    } finally {
      await stores.close();
      await log.close();
    }
    return { stream: roomsStream(appId), path: `/apps/${appId}/rooms`, apiKey };
  });
};

const firstWrites = async (
  { settings, say }: Ground,
  engines: RunningEngines,
  app: LargeApp,
  snapshots: SnapshotStore,
): Promise<Comparison> => {
  const measure = (round: number, name: string): Promise<Measurement> =>
    withStarted(async (started) => {
      say(`writers: round ${round + 1} of ${settings.runs}, first write ${name}`);
      const { port, processId } = started.add(await startService('command-api', engines));
      const begin = performance.now();
      await restSender(port, app.apiKey)('POST', app.path, { name: `First of ${name} ${round}` });
      const firstWrite = performance.now() - begin;
      const memory = processMegabytes(processId);
      // What is next begins with it.
      while ((await snapshots.find(app.stream)) === undefined) await pause(50);
      return { firstWrite, memory };
    });
  // The first one finds none, and leaves one.
  await measure(0, 'before the first round');
  const rows = await inAlternation(
    [
      { name: 'with a snapshot', measure: (round) => measure(round, 'with a snapshot') },
      {
        name: 'without one',
        async measure(round) {
          await snapshots.remove([app.stream]);
          return measure(round, 'without a snapshot');
        },
      },
    ],
    settings.runs,
  );
  return { title: `First write of a new process, ${rooms} rooms`, figures: firstWriteFigures, rows, notes };
};

const sideBySide = async (
  { settings, say }: Ground,
  engines: RunningEngines,
  app: LargeApp,
): Promise<Comparison> =>
  withStarted(async (started) => {
    const apis = [
      started.add(await startService('command-api', engines)),
      started.add(await startService('command-api', engines)),
    ];
    const generators = apis.map(() => started.add(startGenerator(undefined)));
    let loads = 0;
    const load = ({ port, processId }: RunningService, index: number): Promise<RestResult> =>
      (generators[index] as (typeof generators)[number]).run({
        kind: 'rest',
        ...{ port, serverId: processId, apiKey: app.apiKey, path: `/v1${app.path}` },
        named: `Load ${(loads += 1)}`,
        ...{ connections, warmUpSeconds, seconds: settings.seconds },
      });
    const measure = (name: string, loaded: readonly RunningService[]) => ({
      name,
      async measure(round: number): Promise<Measurement> {
        say(`writers: round ${round + 1} of ${settings.runs}, ${name}`);
        return slowest((await Promise.all(loaded.map(load))).map(({ creates }) => creates));
      },
    });
    const rows = await inAlternation(
      [measure('two command-apis side by side', apis), measure('one alone', apis.slice(0, 1))],
      settings.runs,
    );
    return { title: `Rooms created in an app with ${rooms} rooms`, figures: rateFigures, rows, notes };
  });

const slowest = (measured: readonly Measurement[]): Measurement =>
  measured.reduce((one, other) =>
    (other['requestsPerSecond'] ?? 0) < (one['requestsPerSecond'] ?? 0) ? other : one,
  );

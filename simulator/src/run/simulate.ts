import { JobPacking } from '@roomwire/gateway/jobs/owner/jobPacking';
import { seededChance } from '@roomwire/testing/run/seededChance';
import { checkGroups } from '../checks/checkGroups.js';
import { checkHistory } from '../checks/checkHistory.js';
import { checkJobs } from '../checks/checkJobs.js';
import { checkLater } from '../checks/checkLater.js';
import { checkMessages } from '../checks/checkMessages.js';
import { checkMeta } from '../checks/checkMeta.js';
import { checkOnce } from '../checks/checkOnce.js';
import { checkPresence } from '../checks/checkPresence.js';
import { checkRights } from '../checks/checkRights.js';
import { Admin } from '../clients/admin.js';
import { Backend } from '../clients/backend.js';
import { countConnectionsAnew, type Connection } from '../clients/connection.js';
import { Outboxes } from '../clients/outbox.js';
import { Client } from '../clients/program.js';
import { Rights } from '../clients/rights.js';
import type { World } from '../clients/world.js';
import { Cluster } from '../cluster/cluster.js';
import { Faults } from '../cluster/faults.js';
import { installVirtualGlobals } from '../time/virtualGlobals.js';
import { VirtualTime } from '../time/virtualTime.js';
import { History, numberIn } from './history.js';

export interface SimulationOptions {
  readonly seed: number;
  /** Whether the trace is kept; its digest is made in any case. */
  readonly keepsTrace: boolean;
}

export interface Outcome {
  readonly seed: number;
  readonly violations: readonly string[];
  readonly trace: readonly string[];
  /** The same for the same seed and the same code. */
  readonly digest: string;
  readonly virtualMs: number;
  readonly events: number;
  readonly counts: Readonly<Record<string, number>>;
}

/** The acts of a simulation, in virtual milliseconds. */
const startMs = 4_000;
const hostileMs = 30_000;
const calmMs = 40_000;
/** The network is slow and nothing else happens: what is late must not be wrong. */
const slowMs = 60_000;
const slowShare = 0.25;
/** Long enough for a gateway that stalls last to be back, and for the others to have noticed. */
const lastCalmMs = 60_000;
/** So long everybody publishes, while nobody comes or goes. */
const steadyMs = 15_000;
const settledMs = 25_000;
const lastAsksMs = 3_000;

/** A cluster from its start to its end, with faults in between. */
export const simulate = async ({ seed, keepsTrace }: SimulationOptions): Promise<Outcome> => {
  const time = new VirtualTime();
  const history = new History(time, keepsTrace);
  const chance = seededChance(seed);
  const restore = installVirtualGlobals(time, seededChance(chance.below(2 ** 32)));
  const uncaught = (error: unknown): void =>
    history.violated('no defects', `uncaught: ${error instanceof Error ? error.stack : String(error)}`);
  process.on('unhandledRejection', uncaught);
  try {
    const world = createWorld(seed, time, history);
    await live(world);
    return {
      ...{ seed, violations: history.violations, trace: history.trace, digest: history.digest() },
      ...{ virtualMs: time.now, events: time.events, counts: countsOf(history) },
    };
  } finally {
    process.off('unhandledRejection', uncaught);
    restore();
  }
};

interface Play {
  readonly world: World;
  readonly clients: readonly Client[];
  readonly admin: Admin;
  readonly backend: Backend;
}

const createWorld = (seed: number, time: VirtualTime, history: History): Play => {
  const chance = seededChance(seed ^ 0x5eed);
  countConnectionsAnew();
  const cluster = new Cluster(time, seed, history, {
    gateways: 2 + chance.below(2),
    projectors: 1 + chance.below(2),
    records: chance.below(2) === 0,
    duplicates: chance.below(4) === 0,
    apis: 1 + chance.below(2),
  });
  const clients: Client[] = [];
  const rights = new Rights(time, (actor, room) => {
    for (const { connection } of clients)
      if (connection?.actor.actorTokenId === actor) connection.doubt(room);
  });
  const world: World = {
    ...{ time, chance, cluster, history, rights, outboxes: new Outboxes() },
    ...{ estate: undefined, actors: [], isBusy: true, isSteady: false },
    rush: (actor) => {
      for (const client of clients) if (client.connection?.actor === actor) client.rush();
    },
  };
  const actorOf = (n: number) => () => world.actors[n % Math.max(1, world.actors.length)];
  for (let n = 0; n < 8; n += 1) clients.push(new Client(world, `client-${n}`, actorOf(n)));
  const admin = new Admin(world);
  return { world, clients, admin, backend: new Backend(world, () => admin.apiKey) };
};

const live = async ({ world, clients, admin, backend }: Play): Promise<void> => {
  const { time, cluster, history, chance } = world;
  const { records, duplicates } = cluster.options;
  history.happened(`options ${JSON.stringify(cluster.options)}`);
  cluster.start();
  await time.run(startMs);
  if (!cluster.isWhole) throw new Error('The cluster has not started');
  let prepared: unknown = 'unfinished';
  admin.prepare().then(
    () => (prepared = undefined),
    (error: unknown) => (prepared = error),
  );
  await time.run(2 * startMs);
  if (prepared !== undefined) throw new Error('The estate could not be made', { cause: prepared });
  admin.start();
  backend.start();
  for (const client of clients) client.start();
  const faults = new Faults(world);
  await time.run(time.now + startMs);
  faults.begin(hostileMs);
  await time.run(time.now + hostileMs + calmMs);
  cluster.network.slowShare = slowShare;
  await time.run(time.now + slowMs);
  cluster.network.slowShare = 0;
  faults.begin(hostileMs);
  await time.run(time.now + hostileMs + calmMs);
  world.isBusy = false;
  await time.run(time.now + lastCalmMs);
  world.isSteady = true;
  await time.run(time.now + steadyMs);
  world.isSteady = false;
  await time.run(time.now + settledMs);
  const open = clients.flatMap(({ connection }) => (connection?.state === 'open' ? [connection] : []));
  await askPresence(world, open);
  const stillOpen = open.filter(({ state }) => state === 'open');
  for (const { slug } of world.estate?.rooms ?? [])
    checkPresence(history, slug, { open, stillOpen, askedAt: time.now - lastAsksMs });
  checkMessages(history, duplicates);
  checkMeta(history);
  checkHistory(history);
  checkOnce(history, cluster.stores.unsettled);
  checkLater(history, cluster.bus.lostSchedules);
  checkGroups(history, records, duplicates);
  checkJobs(history, { waiting: waitingJobs(cluster), dead: cluster.bus.deadJobs, endedAt: time.now });
  checkRights(history, world.rights);
  if (stillOpen.length < clients.length / 2 && chance.next() >= 0)
    history.violated(
      'availability',
      `${stillOpen.length} of ${clients.length} clients are connected at the end`,
    );
};

/** All count in the rooms; each enters all of them, one, or none; some leave the first one; and at last all ask who is there. */
const askPresence = async ({ time, estate }: World, open: readonly Connection[]): Promise<void> => {
  if (estate === undefined) return;
  const { appSlug } = estate;
  const slugs = estate.rooms.map(({ slug }) => slug);
  for (const connection of open) for (const slug of slugs) connection.count(slug, appSlug);
  await time.run(time.now + lastAsksMs);
  for (const [n, connection] of open.entries())
    for (const slug of slugs) if (n % 4 < 2) connection.announce(slug, appSlug, n % 4 === 0);
  await time.run(time.now + lastAsksMs);
  const [first = ''] = slugs;
  for (const [n, connection] of open.entries()) if (n % 2 === 0) connection.leaveRoom(first, appSlug);
  await time.run(time.now + lastAsksMs);
  for (const connection of open) for (const slug of slugs) connection.askPresence(slug, appSlug);
  await time.run(time.now + lastAsksMs);
};

/** Numbers of the messages whose jobs are in the store. */
const waitingJobs = ({ jobs }: Cluster): ReadonlySet<number> =>
  new Set([...jobs.waiting()].map(({ group, job }) => numberIn(new JobPacking(group).unpack(job.message))));

const countsOf = (history: History): Record<string, number> => ({
  published: history.published.length,
  accepted: history.published.filter(({ isAccepted }) => isAccepted).length,
  again: history.attempts.length - history.published.length,
  duplicates: history.attempts.filter(({ outcome }) => outcome === 'duplicate').length,
  conflicts: history.attempts.filter(({ error }) => error === 'publish_conflict').length,
  later: history.published.filter(({ isLater, records }) => isLater && records.length > 0).length,
  secondCopies: history.published.filter(({ copies }) => copies.length > 1).length,
  deliveries: history.deliveries.length,
  subscriptions: history.subscriptions.length,
  replays: history.subscriptions.filter(({ beginning }) => beginning?.isReplayed).length,
  gaps: history.subscriptions.filter(({ beginning }) => beginning?.gap).length,
  recordReads: history.recordReads.length,
  recordChanges: history.recordChanges.length,
  rightsUsed: history.rightsUsed.length,
  jobs: history.jobs.length,
  jobsAgain: history.jobs.filter(({ delivery }) => delivery > 1).length,
  disturbances: history.disturbances.length,
});

import { seededChance } from '@roomwire/testing/run/seededChance';
import type { VirtualTime } from '../../time/virtualTime.js';
import { organizationId, type Estate } from '../model/estate.js';
import { behaviour } from '../model/load.js';
import type { Placement } from '../model/placement.js';
import { MeteredBus } from '../wire/meteredBus.js';
import type { Count, Tally } from '../wire/tally.js';
import { BoardGateway } from './boardGateway.js';
import { inVirtualTime } from './inVirtualTime.js';

/** What every gateway reads because all of them talk. */
export interface Chatter {
  /** In a second. Of a beat without the connections by organization. */
  readonly beats: Count;
  readonly presence: Count;
  readonly leases: {
    /** For a connection of an organization that had none on its gateway, in place of one that has gone, and for one more. */
    readonly first: Count;
    readonly replaced: Count;
    readonly more: Count;
  };
}

const startMs = 12_000;
const windowMs = 30_000;
/** So many connections of each gateway come and go in the window, in place of all that would. */
const comingPerGateway = 2;
const stayMs = 5_000;
/** Longer than a lease takes to be claimed, answered and decided. */
const claimMs = 500;
const sampledOrganizations = 6;
const times = 3;

/** A cluster of all its gateways, for less than a minute of its own time. */
export const measureChatter = (
  estate: Estate,
  placement: Placement,
  gateways: number,
  seed: number,
): Promise<Chatter> =>
  inVirtualTime(seed, async (time) => {
    const chance = seededChance(seed);
    const bus = new MeteredBus(time);
    const all = Array.from({ length: gateways }, (_, gateway) => new BoardGateway(gateway, time, bus));
    const sampled = sampledProjects(estate).map(
      (project) => new SampledOrganization(project, estate, placement),
    );
    for (const each of sampled) each.enter(all);
    for (const each of all) time.after(undefined, 0, () => void each.start());
    await time.run(startMs);
    bus.startOver();
    for (const [gateway, each] of all.entries())
      for (let n = 0; n < comingPerGateway; n += 1) {
        const connection = gateway * comingPerGateway + n;
        const at = time.now + chance.next() * (windowMs - 2 * stayMs);
        time.at(undefined, at, () => void each.enter(connection, gateway, n));
        time.at(undefined, at + stayMs, () => void each.leave(connection));
      }
    await time.run(time.now + windowMs);
    const seconds = windowMs / 1_000;
    const { presentShare, connectionSeconds } = behaviour;
    const coming = (estate.connections * presentShare * seconds) / connectionSeconds;
    const result = {
      beats: share(bus.read, ['gateways beat'], 1 / seconds),
      presence: share(
        bus.read,
        ['presence enter', 'presence leave'],
        coming / (gateways * comingPerGateway) / seconds,
      ),
      leases: await measureLeases(time, bus, all, sampled),
    };
    for (const each of all) each.stop();
    return result;
  });

/** An organization, and the gateways that have its connections. */
class SampledOrganization {
  readonly id: string;
  readonly limit: number;
  readonly gateways: readonly number[];
  private readonly counts = new Map<number, number>();

  constructor(project: number, estate: Estate, placement: Placement) {
    this.id = organizationId(project);
    this.limit = behaviour.connectionLimit * estate.sizeOf(project);
    for (let each = estate.firstOf(project); each < estate.firstOf(project + 1); each += 1) {
      const gateway = placement[each] as number;
      this.counts.set(gateway, (this.counts.get(gateway) ?? 0) + 1);
    }
    this.gateways = [...this.counts.keys()];
  }

  enter(all: readonly BoardGateway[]): void {
    for (const [gateway, count] of this.counts) all[gateway]?.has(this.id, count, this.limit);
  }
}

/** Each stands for as many connections as the others. */
const sampledProjects = (estate: Estate): readonly number[] => {
  const projects = new Set<number>();
  let project = 0;
  for (let n = 0; n < sampledOrganizations; n += 1) {
    const connection = Math.floor(((n + 0.5) * estate.connections) / sampledOrganizations);
    while (estate.firstOf(project + 1) <= connection) project += 1;
    projects.add(project);
  }
  return [...projects];
};

const measureLeases = async (
  time: VirtualTime,
  bus: MeteredBus,
  all: readonly BoardGateway[],
  sampled: readonly SampledOrganization[],
): Promise<Chatter['leases']> => {
  const sums = { first: zero(), replaced: zero(), more: zero() };
  const measured = async (sum: ReturnType<typeof zero>, act: () => void): Promise<void> => {
    bus.startOver();
    act();
    await time.run(time.now + claimMs);
    const { records, bytes } = bus.read.of('gateways leases');
    sum.records += records;
    sum.bytes += bytes;
    sum.times += 1;
  };
  for (const { id, limit, gateways } of sampled) {
    const here = all[gateways[0] as number] as BoardGateway;
    const connect = (gateway: BoardGateway) => () => void gateway.connect(id, limit);
    // The first one has to claim what it would have claimed long ago.
    await measured(zero(), connect(here));
    for (let n = 0; n < times; n += 1) {
      here.disconnect(id);
      await measured(sums.replaced, connect(here));
    }
    for (let n = 0; n < times; n += 1) await measured(sums.more, connect(here));
    const elsewhere = all.find((_, gateway) => !gateways.includes(gateway));
    if (elsewhere) await measured(sums.first, connect(elsewhere));
  }
  return { first: average(sums.first), replaced: average(sums.replaced), more: average(sums.more) };
};

const zero = () => ({ records: 0, bytes: 0, times: 0 });

const average = ({ records, bytes, times: of }: ReturnType<typeof zero>): Count =>
  of === 0 ? { records: 0, bytes: 0 } : { records: records / of, bytes: bytes / of };

const share = (tally: Tally, names: readonly string[], of: number): Count => {
  const counts = names.map((name) => tally.of(name));
  return {
    records: counts.reduce((sum, { records }) => sum + records, 0) * of,
    bytes: counts.reduce((sum, { bytes }) => sum + bytes, 0) * of,
  };
};

import { seededChance } from '@roomwire/testing/run/seededChance';
import { Estate } from '../model/estate.js';
import { behaviour } from '../model/load.js';
import { placed, type PlacementName } from '../model/placement.js';
import { observedOf, projectsOn, spreadOf, type Spread } from '../model/spread.js';
import { Tally } from '../wire/tally.js';
import { measureAccount, type AccountOfPresences } from './account.js';
import { beatBytes } from './beat.js';
import { measureChatter, type Chatter } from './chatter.js';
import { measureRevalidation, type RevalidationCost } from './revalidation.js';
import { measureRouting } from './routing.js';
import { measureUsage, type UsageCost } from './usage.js';

/** One cluster. */
export interface ClusterSize {
  readonly gateways: number;
  readonly placement: PlacementName;
  readonly seed: number;
  /** Gateways that are measured one by one. */
  readonly observed: number;
}

export interface ObservedGateway {
  readonly connections: number;
  readonly projects: number;
  /** In a second; see `measureRouting`. */
  readonly tally: Tally;
  readonly beatBytes: number;
  readonly usage: UsageCost;
  readonly account: AccountOfPresences;
  readonly revalidation: RevalidationCost;
}

export interface Measured {
  readonly size: ClusterSize;
  readonly estate: Estate;
  readonly spread: Spread;
  readonly chatter: Chatter;
  readonly observed: readonly ObservedGateway[];
  /** Connects in a second, of all gateways. */
  readonly connects: number;
}

export const measure = async (size: ClusterSize): Promise<Measured> => {
  const { gateways, seed } = size;
  const estate = new Estate(gateways);
  const placement = placed(size.placement, estate, gateways, seededChance(seed));
  const spread = spreadOf(estate, placement, gateways);
  const numbers = observedOf(spread, size.observed);
  const held = projectsOn(estate, placement, numbers);
  const tallies = new Map(numbers.map((gateway) => [gateway, new Tally()]));
  await measureRouting(estate, placement, gateways, tallies);
  const observed: ObservedGateway[] = [];
  for (const [gateway, tally] of tallies) {
    const projects = held.get(gateway) ?? new Map<number, number>();
    observed.push({
      ...{ tally, projects: projects.size, connections: spread.loads[gateway] ?? 0 },
      beatBytes: beatBytes(gateway, projects),
      usage: await measureUsage(gateway, gateways, projects, spread.gatewaysOf),
      account: await measureAccount(estate, placement, gateway),
      revalidation: await measureRevalidation(estate, placement, gateway),
    });
  }
  const chatter = await measureChatter(estate, placement, gateways, seed);
  const connects = estate.connections / behaviour.connectionSeconds;
  return { size, estate, spread, chatter, observed, connects };
};

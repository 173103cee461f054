import type { SeededChance } from '@roomwire/testing/run/seededChance';
import type { Estate } from './estate.js';
import { balanceFactor } from './load.js';

/** `together`: a balancer keeps the clients of a project on one gateway. `anywhere`: each goes to any gateway. */
export const placements = ['together', 'anywhere'] as const;
export type PlacementName = (typeof placements)[number];

/** The gateway of each connection. */
export type Placement = Uint16Array;

/** For rendezvous hashing: the gateway with the highest score has the project. */
export const scoreOf = (project: number, gateway: number): number => {
  let mixed = Math.imul(project + 1, 0x9e3779b1) ^ Math.imul(gateway + 1, 0x85ebca77);
  mixed = Math.imul(mixed ^ (mixed >>> 15), 0x2c1b3c6d);
  mixed = Math.imul(mixed ^ (mixed >>> 12), 0x297a2d39);
  return (mixed ^ (mixed >>> 15)) >>> 0;
};

export const placed = (
  name: PlacementName,
  estate: Estate,
  gateways: number,
  chance: SeededChance,
): Placement =>
  name === 'together' ? placedTogether(estate, gateways, chance) : placedAnywhere(estate, gateways, chance);

const placedAnywhere = ({ connections }: Estate, gateways: number, chance: SeededChance): Placement =>
  Uint16Array.from({ length: connections }, () => chance.below(gateways));

/** A project goes to the gateway with the highest score that is not full, and with what is too much for it to the next. */
const placedTogether = (estate: Estate, gateways: number, chance: SeededChance): Placement => {
  const capacity = Math.ceil((balanceFactor * estate.connections) / gateways);
  const free = new Int32Array(gateways).fill(capacity);
  const placement = new Uint16Array(estate.connections);
  for (const project of shuffled(
    Uint32Array.from({ length: estate.projects }, (_, n) => n),
    chance,
  )) {
    const [first, end] = [estate.firstOf(project), estate.firstOf(project + 1)];
    let [next, used] = [first, 0];
    while (next < end) {
      const gateway = bestOf(project, free);
      const taken = Math.min(end - next, free[gateway] as number);
      placement.fill(gateway, next, next + taken);
      free[gateway] = (free[gateway] as number) - taken;
      next += taken;
      used += 1;
    }
    // Nothing keeps the clients of a room together.
    if (used > 1) shuffled(placement.subarray(first, end), chance);
  }
  return placement;
};

const bestOf = (project: number, free: Int32Array): number => {
  let [best, highest] = [-1, -1];
  for (let gateway = 0; gateway < free.length; gateway += 1) {
    if (free[gateway] === 0) continue;
    const score = scoreOf(project, gateway);
    if (score > highest) [best, highest] = [gateway, score];
  }
  return best;
};

const shuffled = <T extends Uint16Array | Uint32Array>(list: T, chance: SeededChance): T => {
  for (let last = list.length - 1; last > 0; last -= 1) {
    const other = chance.below(last + 1);
    [list[last], list[other]] = [list[other] as number, list[last] as number];
  }
  return list;
};

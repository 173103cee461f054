import type { Estate } from './estate.js';
import type { Placement } from './placement.js';

/** How connections lie over the gateways. */
export interface Spread {
  /** Connections by gateway. */
  readonly loads: Int32Array;
  /** Gateways by project. */
  readonly gatewaysOf: Uint16Array;
  /** On how many gateways the room of a connection has any, on average. */
  readonly gatewaysOfRoom: number;
  /** Of a connection that comes, the chance that its organization has no other one on its gateway. */
  readonly aloneShare: number;
}

export const spreadOf = (estate: Estate, placement: Placement, gateways: number): Spread => {
  const loads = new Int32Array(gateways);
  const gatewaysOf = new Uint16Array(estate.projects);
  let [alone, roomGateways] = [0, 0];
  const [inProject, inRoom] = [new Counter(gateways), new Counter(gateways)];
  for (let project = 0; project < estate.projects; project += 1) {
    for (let room = 0; room < estate.roomsOf(project); room += 1) {
      const [first, end] = estate.spanOf(project, room);
      for (let each = first; each < end; each += 1) {
        const gateway = placement[each] as number;
        inProject.add(gateway);
        inRoom.add(gateway);
      }
      roomGateways += inRoom.different * (end - first);
      inRoom.clear();
    }
    gatewaysOf[project] = inProject.different;
    for (const [gateway, count] of inProject.entries()) {
      loads[gateway] = (loads[gateway] as number) + count;
      if (count === 1) alone += 1;
    }
    inProject.clear();
  }
  const { connections } = estate;
  return { loads, gatewaysOf, gatewaysOfRoom: roomGateways / connections, aloneShare: alone / connections };
};

/** The connections of each project on some gateways; projects without any are absent. */
export const projectsOn = (
  estate: Estate,
  placement: Placement,
  gateways: readonly number[],
): ReadonlyMap<number, ReadonlyMap<number, number>> => {
  const held = new Map(gateways.map((gateway) => [gateway, new Map<number, number>()]));
  for (let project = 0; project < estate.projects; project += 1)
    for (let each = estate.firstOf(project); each < estate.firstOf(project + 1); each += 1) {
      const here = held.get(placement[each] as number);
      here?.set(project, (here.get(project) ?? 0) + 1);
    }
  return held;
};

/** Counts small numbers, and forgets them in no more time than it took. */
class Counter {
  private readonly counts: Int32Array;
  private readonly met: number[] = [];

  constructor(limit: number) {
    this.counts = new Int32Array(limit);
  }

  get different(): number {
    return this.met.length;
  }

  add(number: number): void {
    const count = this.counts[number] as number;
    if (count === 0) this.met.push(number);
    this.counts[number] = count + 1;
  }

  *entries(): Iterable<readonly [number: number, count: number]> {
    for (const number of this.met) yield [number, this.counts[number] as number];
  }

  clear(): void {
    for (const number of this.met) this.counts[number] = 0;
    this.met.length = 0;
  }
}

/** So many gateways, evenly over all when these are ordered by their connections: their average is that of all, or nearly so. */
export const observedOf = ({ loads }: Spread, count: number): readonly number[] => {
  const byLoad = [...loads.keys()].sort((a, b) => (loads[a] as number) - (loads[b] as number) || a - b);
  const most = Math.min(count, byLoad.length);
  return Array.from(
    { length: most },
    (_, n) => byLoad[Math.floor(((n + 0.5) * byLoad.length) / most)] as number,
  );
};

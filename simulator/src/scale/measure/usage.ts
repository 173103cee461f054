import { Plans } from '@roomwire/gateway/limits/plans';
import { UsageLedger } from '@roomwire/gateway/limits/usageLedger';
import { silentLogger } from '@roomwire/testing/fakes/loggers';
import { ManualClock } from '@roomwire/testing/fakes/manualClock';
import { gatewayIdOf, organizationId, projectId } from '../model/estate.js';
import { behaviour } from '../model/load.js';

/** What a gateway asks of the store in a second, to count what is published. */
export interface UsageCost {
  readonly written: number;
  readonly read: number;
}

const warmUpTicks = 30;
const ticks = 60;

/** `gatewaysOf`: by project, each of which has a count of its own for it. */
export const measureUsage = async (
  gateway: number,
  gateways: number,
  projects: ReadonlyMap<number, number>,
  gatewaysOf: Uint16Array,
): Promise<UsageCost> => {
  const plans = new Plans();
  const numbers = new Map([...projects.keys()].map((project) => [projectId(project), project]));
  const cost = { written: 0, read: 0 };
  const others = Array.from({ length: gateways }, (_, n) => gatewayIdOf(n)).filter((_, n) => n !== gateway);
  const ledger = new UsageLedger({
    ...{ gatewayId: gatewayIdOf(gateway), clock: new ManualClock(), logger: silentLogger, plans },
    usage: {
      noteUsage: async (_, counts) => void (cost.written += counts.length),
      mergeUsage: async () => undefined,
      usageByWriter: async (ids) => {
        for (const id of ids) cost.read += gatewaysOf[numbers.get(id) as number] as number;
        return new Map();
      },
    },
    // Leases on messages are those on connections once more: they are not taken here.
    leases: { of: () => undefined as never, forget: () => undefined },
    cluster: { others, takesLeases: () => true },
    accepted: () => undefined,
  });
  const { monthlyMessages } = behaviour;
  const plan = { maxApps: null, maxConnections: null, monthlyMessages };
  for (const project of projects.keys()) plans.read(organizationId(project), plan);
  for (let tick = 0; tick < warmUpTicks + ticks; tick += 1) {
    if (tick === warmUpTicks) [cost.written, cost.read] = [0, 0];
    for (const [project, connections] of projects) {
      const owner = { projectId: projectId(project), organizationId: organizationId(project) };
      for (let due = publishedIn(tick, project, connections); due > 0; due -= 1) {
        const usage = ledger.of(owner);
        usage.use();
        usage.end(true);
      }
    }
    await ledger.tick();
  }
  return { written: cost.written / ticks, read: cost.read / ticks };
};

/** Whole messages, so that the rate holds over time; projects with a few do not all publish at once. */
const publishedIn = (second: number, project: number, connections: number): number => {
  const rate = connections * behaviour.messageRate;
  const phase = (project * 0.618) % 1;
  return Math.floor(phase + (second + 1) * rate) - Math.floor(phase + second * rate);
};

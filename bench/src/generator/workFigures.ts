import type { Measurement } from '../measure/comparison.js';
import type { CpuUse } from '../measure/cpu.js';

export const workFigures = (deliveries: number, { elapsed, server, generator }: CpuUse): Measurement => ({
  deliveriesPerSecond: deliveries / elapsed,
  cpuPerDelivery: (server * 1e6) / deliveries,
  serverCpu: (server / elapsed) * 100,
  generatorCpu: (generator / elapsed) * 100,
});

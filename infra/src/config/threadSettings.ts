import type { Engines } from '../engines/engines.js';
import type { VariableReader } from '../environment.js';

/** One beside them runs everything else. With a bus between processes, more cores are more gateways. */
export const readGatewayThreads = (
  read: VariableReader,
  { bus }: Pick<Engines, 'bus'>,
  problems: string[],
): number => {
  const threads = read.integer('ROOMWIRE_GATEWAY_THREADS', 1, { min: 1, max: 64 });
  if (threads > 1 && !bus.onFiles)
    problems.push('ROOMWIRE_GATEWAY_THREADS is for a bus on files: with brokers, run more gateways');
  return threads;
};

import { systemClock } from '@roomwire/shared/adapters/system/systemClock';
import { createProjections } from '@roomwire/projections/projections';
import type { Measurement } from '../measure/comparison.js';
import { startOwnCpuMeter } from '../measure/cpu.js';
import type { RecordedEvent } from '@roomwire/shared/domain/eventEnvelope';
import type { Ports } from './openProfile.js';

/** From empty read models until they hold all that is in the log. */
export const measureRebuild = async (ports: Ports, events: number): Promise<Measurement> => {
  const { views } = ports;
  await views.clear();
  const meter = startOwnCpuMeter();
  const projections = createProjections({ ...ports, clock: systemClock });
  await projections.start();
  await projections.caughtUp;
  const { elapsed, cpu } = meter();
  await projections.close();
  await checkRebuilt(ports);
  return { eventsPerSecond: events / elapsed, seconds: elapsed * 1000, cpuPerEvent: (cpu * 1e6) / events };
};

/** Counting all rooms takes longer on some engines than building them: the last one has to do. */
const checkRebuilt = async ({ log, views }: Ports): Promise<void> => {
  const [checkpoint, head] = [await views.checkpoint(), await log.head()];
  if (checkpoint !== head) throw new Error('The read models are not up to date after the rebuild');
  let last: RecordedEvent | undefined;
  for await (const events of log.readAll()) last = events.at(-1) ?? last;
  const { roomId = '' } = (last?.data ?? {}) as { roomId?: string };
  if ((await views.get('rooms', roomId)) === undefined) throw new Error('The last room is not there');
};

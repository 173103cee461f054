import { createDeadLetterRecorder } from '@roomwire/command-api/dead-letters/deadLetterRecorder';
import { createAuditFollower } from '@roomwire/projections/auditFollower';
import { projectionLag } from '@roomwire/projections/projectionLag';
import { createProjections } from '@roomwire/projections/projections';
import { usesDataFolder } from '../engines/engines.js';
import { createRebuildDesk } from '../rebuild/rebuildDesk.js';
import type { StartService } from './service.js';

export const startProjections: StartService = async ({
  adapters,
  closing,
  config,
  logger,
  clock,
  random,
  show,
  tracing,
}) => {
  const [log, views, bus] = [await adapters.log(), await adapters.views(), await adapters.bus()];
  const projections = createProjections({ log, views, bus, clock, logger, tracing });
  closing.push(() => projections.close());
  show({ name: 'projections', collect: projections.collect });
  const index = await adapters.auditIndex();
  const followed = [
    { name: 'read-models', checkpoint: () => views.checkpoint() },
    { name: 'audit-index', checkpoint: () => index.checkpoint() },
  ];
  show({ name: 'projection-lag', collect: projectionLag({ log, clock, projections: followed }) });
  const follower = createAuditFollower({ log, index, logger });
  closing.push(() => follower.close());
  await follower.start();
  await projections.start();
  await projections.caughtUp;
  // Beside the projections, because this process has the event log and the bus anyway.
  const recorder = createDeadLetterRecorder({ bus, log, random, clock, logger });
  closing.push(() => recorder.close());
  await recorder.start();
  if (!usesDataFolder(config.engines)) return;
  const { path } = await adapters.folder();
  const desk = createRebuildDesk({ folder: path, log, views, logger });
  closing.push(() => desk.close());
  await desk.start();
};

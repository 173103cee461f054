import { setTimeout as pause } from 'node:timers/promises';
import { createBackends, type Backends } from '@roomwire/gateway/backends';
import { backOffMs } from '@roomwire/shared/runtime/waiting';
import type { ServiceContext } from './service.js';

const betweenTries = { firstMs: 250, longestMs: 5_000 };

/** In the background: reads and other commands do not wait for the bus. */
export const startBackends = (context: ServiceContext): void => {
  const { backends, closing, logger } = context;
  const stopping = new AbortController();
  let started: Backends | undefined;
  const starting = startWhenPossible(context, stopping.signal).then((running) => {
    started = running;
    if (stopping.signal.aborted) return;
    backends.publishing = running?.publishing;
    backends.liveState = running?.liveState;
    backends.liveConnections = running?.liveConnections;
    backends.jobGroups = running?.jobGroups;
  });
  starting.catch((error: unknown) => {
    if (!stopping.signal.aborted) logger.error('Nothing can be published over HTTP', { error });
  });
  closing.push(async () => {
    stopping.abort();
    backends.publishing = backends.liveState = backends.jobGroups = undefined;
    backends.liveConnections = undefined;
    await starting.catch(() => undefined);
    await started?.close();
  });
};

/** Undefined when the process ends before. */
const startWhenPossible = async (
  context: ServiceContext,
  signal: AbortSignal,
): Promise<Backends | undefined> => {
  const { adapters, config, clock, random, logger, tracing, limits } = context;
  const [bus, publishIds] = [await adapters.bus(), await adapters.publishIds()];
  const { views, usage } = await adapters.viewStores();
  const messageStore = config.messageRecording ? await adapters.messageStore() : undefined;
  const [history, schedules] = [await adapters.history(), await adapters.schedules()];
  const ports = { bus, publishIds, schedules, messageStore, history, clock, random, logger, tracing };
  for (let failures = 1; !signal.aborted; failures += 1) {
    const activity = await context.activity();
    const backends = createBackends({ ...ports, views, usage, limits, activity });
    try {
      await backends.start();
      return backends;
    } catch (error) {
      logger.warn('Publishing over HTTP could not begin; trying again', { error });
      await backends.close().catch(() => undefined);
      await pause(backOffMs(betweenTries, failures), undefined, { signal }).catch(() => undefined);
    }
  }
  return undefined;
};

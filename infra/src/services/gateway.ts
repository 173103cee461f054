import { createGateway } from '@roomwire/gateway/gateway';
import type { StartService } from './service.js';

export const startGateway: StartService = async ({ config, logger, clock, adapters, front, closing }) => {
  const [views, bus] = [await adapters.views(), await adapters.bus()];
  const { publishRate, idleTimeoutMs, revalidationMs, wsOrigins } = config;
  const gateway = createGateway({
    views,
    bus,
    clock,
    logger,
    options: { publishRate, idleTimeoutMs, revalidationMs, allowedOrigins: wsOrigins ?? '*' },
  });
  closing.push(() => gateway.close());
  await gateway.start();
  gateway.attach(front.server);
};

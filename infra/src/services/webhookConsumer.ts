import { createWebhookConsumer } from '@roomwire/webhook-consumer/webhookConsumer';
import type { StartService } from './service.js';

export const startWebhookConsumer: StartService = async ({ config, logger, clock, adapters, closing }) => {
  const consumer = createWebhookConsumer({
    ...{ bus: await adapters.bus(), clock, logger },
    options: { allowPrivate: config.webhookAllowPrivate },
  });
  closing.push(() => consumer.close());
  await consumer.start();
};

import { createSecretBox } from '@roomwire/shared/credentials/secretBox';
import { createWebhookConsumer } from '@roomwire/webhook-consumer/webhookConsumer';
import { givenMasterKeys } from '../process/keptSecrets.js';
import type { StartService } from './service.js';

export const startWebhookConsumer: StartService = async ({
  config,
  logger,
  clock,
  adapters,
  closing,
  secrets,
  show,
  tracing,
}) => {
  const masterKeys = givenMasterKeys(config) ?? (await secrets()).masterKeys;
  const [views, bus] = [await adapters.views(), await adapters.bus()];
  const consumer = createWebhookConsumer({
    ...{ bus, views, clock, logger, tracing },
    secretBox: createSecretBox(masterKeys),
    options: {
      allowPrivate: config.webhookAllowPrivate,
      allowNetworks: config.webhookAllowNetworks,
      denyNetworks: config.webhookDenyNetworks,
      proxy: config.webhookProxy,
    },
  });
  closing.push(() => consumer.close());
  show({ name: 'webhook-consumer', collect: consumer.collect });
  await consumer.start();
};

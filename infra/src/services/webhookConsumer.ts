import type { StartService } from './service.js';

/** Holds its place in the deployment: there are no webhook calls to make yet. */
export const startWebhookConsumer: StartService = async ({ adapters }) => {
  await adapters.bus();
};

import { randomUUID } from 'node:crypto';
import { organizationTarget } from '@roomwire/command-api/organizations/decider';
import { projectTarget } from '@roomwire/command-api/projects/decider';
import { webhookCircuitTarget } from '@roomwire/command-api/webhook-circuits/decider';
import { unlimitedPlan } from '@roomwire/shared/domain/organization';
import { circuitIdOf } from '@roomwire/shared/wire/webhooks/circuitId';
import type { Config } from '../../src/config/config.js';
import { executeOn, withLog } from './eventLogAccess.js';

export interface ProjectWithCircuits {
  readonly organizationId: string;
  readonly projectId: string;
  /** For `startTestService`: a circuit opens after five minutes, for which no test waits. */
  seed(config: Config): Promise<void>;
}

/** A project whose calls to these URLs wait. */
export const projectWithCircuits = (urls: readonly string[]): ProjectWithCircuits => {
  const [organizationId, projectId] = [randomUUID(), randomUUID()];
  return {
    organizationId,
    projectId,
    seed: (config) =>
      withLog(config, async (log) => {
        const execute = executeOn(log, { organizationId, projectId });
        const organization = { organizationId, name: 'Waiting', plan: unlimitedPlan };
        await execute(organizationTarget(organizationId), { type: 'CreateOrganization', organization });
        const project = { projectId, organizationId, name: 'Waiting' };
        await execute(projectTarget(projectId), { type: 'CreateProject', project });
        for (const url of urls) {
          const circuitId = circuitIdOf(projectId, url);
          const circuit = { circuitId, organizationId, projectId, url, calls: 50 };
          await execute(webhookCircuitTarget(circuitId), { type: 'OpenWebhookCircuit', circuit });
        }
      }),
  };
};

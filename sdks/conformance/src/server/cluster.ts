import { randomBytes, randomUUID } from 'node:crypto';
import { systemClock } from '@roomwire/shared/adapters/system/systemClock';
import { mintSessionToken } from '@roomwire/shared/credentials/sessionToken';
import { withDatabase } from '@roomwire/testing/run/testProfile';
import { type Deployment, type Deployments, keptOpen } from './deployment.js';
import { act } from './files.js';
import { type Environment, Program } from './program.js';
import { Rest } from './rest.js';
import { Shared } from './shared.js';

export interface EngineAddresses {
  readonly eventStoreUrl: string;
  readonly mongodbUrl: string;
  readonly kafkaBrokers: string;
}

/**
 * Services in processes of their own on the engines, with two gateways for those who share them and two more for each scenario that acts on
 * its own. All of them record messages: that is one switch of the whole broker.
 */
export const onEngines = async (engines: EngineAddresses): Promise<Deployments> => {
  const secret = randomBytes(32);
  const common: Environment = {
    ROOMWIRE_EVENTSTORE_URL: engines.eventStoreUrl,
    ROOMWIRE_MONGODB_URL: withDatabase(engines.mongodbUrl, `conformance_${randomUUID().slice(0, 8)}`),
    ROOMWIRE_KAFKA_BROKERS: engines.kafkaBrokers,
    ROOMWIRE_MASTER_KEY: secret.toString('base64'),
    ROOMWIRE_SESSION_SECRET: secret.toString('base64'),
    ROOMWIRE_MESSAGE_RECORDING: 'true',
  };
  const service = (name: string): Program => new Program([name], common);
  const api = service('command-api');
  const services = [api, service('projections'), service('webhook-consumer')];
  await Promise.all(services.map((program) => program.start()));
  const access = await projectOf(() => api.port, secret);
  const shared = new Shared<Deployment>();
  return {
    take: async (settings, isOwn) =>
      isOwn
        ? startGateways({ ...common, ...settings }, access)
        : keptOpen(
            await shared.get(JSON.stringify(settings), () =>
              startGateways({ ...common, ...settings }, access),
            ),
          ),
    async close() {
      await shared.close();
      await Promise.all(services.map((program) => program.end('SIGKILL')));
    },
  };
};

type Access = Pick<Deployment, 'rest' | 'operator'>;

const startGateways = async (environment: Environment, access: Access): Promise<Deployment> => {
  const gateways = [new Program(['gateway'], environment), new Program(['gateway'], environment)];
  await Promise.all(gateways.map((gateway) => gateway.start()));
  const gatewayOf = (index: number): Program => gateways[index % gateways.length] as Program;
  return {
    ...access,
    portOf: (gateway) => gatewayOf(gateway).port,
    act: (action, gateway) => act(gatewayOf(gateway), action),
    close: async () => void (await Promise.all(gateways.map((gateway) => gateway.end('SIGKILL')))),
  };
};

/** An organization with a project, made as an operator does it. */
const projectOf = async (port: () => number, secret: Uint8Array): Promise<Access> => {
  const session = await mintSessionToken(
    secret,
    { subject: 'operator', organizationIds: [], isOperator: true },
    3600,
    systemClock,
  );
  const operator = new Rest(port, session);
  const { organizationId } = await operator.make('/organizations', { name: 'Conformance' });
  const projects = `/organizations/${String(organizationId)}/projects`;
  const { projectId } = await operator.make(projects, { name: 'Conformance' });
  const { apiKey } = await operator.make(`${projects}/${String(projectId)}/api-keys`, { name: 'Kit' });
  return {
    rest: new Rest(port, String(apiKey)),
    operator: { rest: operator, organizationId: String(organizationId) },
  };
};

import { expect } from 'chai';
import { systemRandom } from '@roomwire/shared/adapters/system/systemRandom';
import { appsStream } from '@roomwire/shared/domain/app';
import { unlimitedPlan } from '@roomwire/shared/domain/organization';
import { EngineUnavailable } from '@roomwire/shared/ports/errors';
import type { EventLog } from '@roomwire/shared/ports/eventLog';
import type { UsageReader } from '@roomwire/shared/ports/usageStore';
import type { ViewReader } from '@roomwire/shared/ports/viewStore';
import { silentLogger } from '@roomwire/testing/fakes/loggers';
import { appRoutes } from '../../src/apps/routes.js';
import { blueprintTarget } from '../../src/blueprints/decider.js';
import { createCommandHandler, type CommandHandler } from '../../src/handling/commandHandler.js';
import { projectContext, type ApiRequest, type ProjectCaller } from '../../src/http/route.js';
import { organizationTarget } from '../../src/organizations/decider.js';
import { openTemporaryLog } from '../support/temporaryLog.js';

const [organizationId, projectId, blueprintId] = ['o1', 'p1', 'b1'];
const caller: ProjectCaller = { organizationId, projectId, principal: 'apiKey:k', permissions: null };
const definition = {
  ...{ config: {}, topics: ['chat'], topicConfigs: {}, hydrationWebhook: null, triggerWebhook: null },
  ...{ rooms: [], dependencies: null, files: null, framework: null },
};

type Request = ApiRequest<ProjectCaller, unknown, unknown>;

const request = (fields: Partial<Request>): Request => ({
  ...{ caller, path: {}, body: undefined, query: {}, now: '2026-01-01T00:00:00.000Z', requestId: 'r1' },
  ...fields,
});

describe('a command on an app during an outage of the read models', () => {
  let log: EventLog;
  let commands: CommandHandler;
  let close: () => Promise<void>;
  /** The read models fail once so many events of apps are in the log. */
  let failingFrom: number;

  const eventTypes = async (): Promise<string[]> => {
    const types: string[] = [];
    for await (const part of log.readStream(appsStream(projectId)))
      types.push(...part.map(({ type }) => type));
    return types;
  };

  const views = {
    reached: async () => true,
    get: async () => {
      if ((await eventTypes()).length >= failingFrom) throw new EngineUnavailable('read models');
      return { status: 'active' };
    },
  } as unknown as ViewReader;

  const call = async (operationId: string, fields: Partial<Request>): Promise<unknown> => {
    const usage = {} as UsageReader;
    const routes = appRoutes({ commands, views, usage, random: systemRandom });
    const route = routes.find((each) => each.operationId === operationId);
    return (route?.handle as (request: Request) => Promise<unknown>)(request(fields));
  };

  beforeEach(async () => {
    ({ log, close } = await openTemporaryLog());
    commands = createCommandHandler({ log, views, random: systemRandom, logger: silentLogger });
    const context = projectContext(request({}));
    const organization = { organizationId, name: 'O', plan: unlimitedPlan };
    await commands.execute(
      organizationTarget(organizationId),
      { type: 'CreateOrganization', organization },
      context,
    );
    const blueprint = { blueprintId, organizationId, name: 'B' };
    await commands.execute(
      blueprintTarget(blueprintId),
      { type: 'RegisterBlueprint', blueprint, version: '1.0.0', definition },
      context,
    );
  });
  afterEach(() => close());

  it('answers with the app that it has created', async () => {
    failingFrom = 1;
    expect(await call('createApp', { body: { name: 'Chat' } })).to.include({ name: 'Chat' });
    expect(await eventTypes()).to.eql(['AppCreated']);
  });

  it('creates none where it cannot answer', async () => {
    failingFrom = 0;
    const error = await call('createApp', { body: { name: 'Chat' } }).catch((reason: unknown) => reason);
    expect(error).to.be.instanceOf(EngineUnavailable);
    expect(await eventTypes()).to.eql([]);
  });

  it('answers with the app that it has reset', async () => {
    failingFrom = 2;
    const created = await call('createApp', { body: { name: 'Chat', topics: ['own'], blueprintId } });
    const { appId } = created as { appId: string };
    expect(await call('resetAppToBlueprint', { path: { appId } })).to.deep.include({ topics: ['chat'] });
    expect(await eventTypes()).to.eql(['AppCreated', 'AppUpdated']);
  });
});

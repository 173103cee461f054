import { expect } from 'chai';
import { systemRandom } from '@roomwire/shared/adapters/system/systemRandom';
import type { UsageReader } from '@roomwire/shared/ports/usageStore';
import type { ViewReader } from '@roomwire/shared/ports/viewStore';
import { silentLogger } from '@roomwire/testing/fakes/loggers';
import { actorRoutes } from '../../src/actors/routes.js';
import { createCommandHandler, type CommandHandler } from '../../src/handling/commandHandler.js';
import { Rejection } from '../../src/handling/rejections.js';
import type { ApiRequest, ProjectCaller } from '../../src/http/route.js';
import { openTemporaryLog } from '../support/temporaryLog.js';

const callerOf = (projectId: string): ProjectCaller => ({
  ...{ organizationId: 'o1', projectId, principal: 'apiKey:k', permissions: null },
});

type Request = ApiRequest<ProjectCaller, unknown, unknown>;

describe('a change of an actor that the read models do not show yet', () => {
  let commands: CommandHandler;
  let close: () => Promise<void>;
  let actorId: string;

  const views = {
    reached: async () => false,
    get: async () => undefined,
    find: async () => [],
  } as unknown as ViewReader;
  const usage = { lastUses: async () => new Map() } as unknown as UsageReader;

  const call = async (operationId: string, fields: Partial<Request>): Promise<unknown> => {
    const routes = actorRoutes({ commands, views, usage, random: systemRandom });
    const route = routes.find((each) => each.operationId === operationId);
    return (route?.handle as (request: Request) => Promise<unknown>)({
      ...{ caller: callerOf('p1'), path: { actorId }, body: undefined, query: {} },
      ...{ now: '2026-01-01T00:00:00.000Z', requestId: 'r1' },
      ...fields,
    });
  };

  const refusalOf = async (answer: Promise<unknown>): Promise<unknown> => {
    const error = await answer.catch((reason: unknown) => reason);
    return error instanceof Rejection ? error.code : error;
  };

  beforeEach(async () => {
    const temporary = await openTemporaryLog();
    ({ close } = temporary);
    const { log } = temporary;
    commands = createCommandHandler({ log, views, random: systemRandom, logger: silentLogger });
    const created = await call('createActor', { body: { name: 'Till', actorType: 'device' } });
    actorId = (created as { readonly actorTokenId: string }).actorTokenId;
  });
  afterEach(() => close());

  it('disables it', async () => {
    const changed = await call('updateActor', { body: { status: 'disabled' } });
    expect(changed).to.include({ actorTokenId: actorId, status: 'disabled' });
  });

  it('deletes it, once', async () => {
    await call('deleteActor', {});
    expect(await refusalOf(call('deleteActor', {}))).to.equal('actor_not_found');
    expect(await refusalOf(call('updateActor', { body: { name: 'Till 2' } }))).to.equal('actor_not_found');
  });

  it('is refused to another project', async () => {
    const caller = callerOf('p2');
    expect(await refusalOf(call('deleteActor', { caller }))).to.equal('actor_not_found');
    const body = { status: 'disabled' };
    expect(await refusalOf(call('updateActor', { caller, body }))).to.equal('actor_not_found');
  });
});

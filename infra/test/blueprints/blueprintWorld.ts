import { createApp, resetApp } from '@roomwire/command-api/apps/appCommands';
import type { CreateAppBody } from '@roomwire/command-api/apps/resource';
import { blueprintTarget } from '@roomwire/command-api/blueprints/decider';
import { createCommandHandler, type CommandHandler } from '@roomwire/command-api/handling/commandHandler';
import { organizationTarget } from '@roomwire/command-api/organizations/decider';
import { createProjections } from '@roomwire/projections/projections';
import { openEmbeddedEventLog } from '@roomwire/shared/adapters/event-log/embeddedEventLog';
import { openDataFolder } from '@roomwire/shared/adapters/lmdb/dataFolder';
import { openEmbeddedMessageBus } from '@roomwire/shared/adapters/message-bus/embeddedMessageBus';
import { systemRandom } from '@roomwire/shared/adapters/system/systemRandom';
import { systemClock } from '@roomwire/shared/adapters/system/systemClock';
import { openEmbeddedViewStores } from '@roomwire/shared/adapters/view-store/embeddedViewStore';
import type { App } from '@roomwire/shared/domain/app';
import type { BlueprintDefinition } from '@roomwire/shared/domain/blueprint';
import { unlimitedPlan } from '@roomwire/shared/domain/organization';
import type { Room } from '@roomwire/shared/domain/room';
import type { EventLog } from '@roomwire/shared/ports/eventLog';
import type { ViewStore } from '@roomwire/shared/ports/viewStore';
import { temporaryFolder } from '@roomwire/testing/run/temporaryFolder';
import { noPayloads } from '@roomwire/testing/fakes/noPayloads';
import { createRecordingLogger } from '@roomwire/testing/fakes/loggers';

const organizationId = 'o1';
const projectId = 'p1';
const blueprintId = 'b1';
const principal = 'apiKey:ak_live_1';
const now = '2026-01-01T00:00:00.000Z';
const context = { occurredAt: now, organizationId, projectId, principal, requestId: 'r1' };

export interface BlueprintWorld {
  readonly log: EventLog;
  readonly views: ViewStore;
  /** The commands of one process, over a log that may have its faults. */
  process(log?: EventLog): {
    createApp(body?: Partial<CreateAppBody>): Promise<{ readonly appId: string }>;
    resetApp(appId: string): Promise<unknown>;
  };
  addVersion(version: string, rooms: readonly string[], topics?: readonly string[]): Promise<void>;
  apps(): Promise<App[]>;
  /** Those of an app, or all. */
  rooms(appId?: string): Promise<Room[]>;
  close(): Promise<void>;
}

/** The log, the read models and the commands, without a server; an organization with a blueprint of one version. */
export const blueprintWorld = async (
  maxApps: number | null,
  rooms: readonly string[],
): Promise<BlueprintWorld> => {
  const folder = await temporaryFolder();
  const data = await openDataFolder(folder.path);
  const log = await openEmbeddedEventLog(data);
  const stores = await openEmbeddedViewStores(data);
  const { views } = stores;
  const bus = await openEmbeddedMessageBus(data);
  const { logger } = createRecordingLogger();
  const projections = createProjections({
    payloads: noPayloads,
    log,
    views,
    bus,
    clock: systemClock,
    logger,
  });
  await projections.start();
  const handlerOn = (over: EventLog): CommandHandler =>
    createCommandHandler({ log: over, views, random: systemRandom, logger });
  const commands = handlerOn(log);
  await commands.execute(
    organizationTarget(organizationId),
    {
      type: 'CreateOrganization',
      organization: { organizationId, name: 'Acme', plan: { ...unlimitedPlan, maxApps } },
    },
    context,
    () => undefined,
  );
  await commands.execute(
    blueprintTarget(blueprintId),
    {
      type: 'RegisterBlueprint',
      blueprint: { blueprintId, organizationId, name: 'B' },
      version: '1.0.0',
      definition: definition(rooms, ['chat']),
    },
    context,
    () => undefined,
  );

  return {
    log,
    views,
    process: (over = log) => requestsOn(handlerOn(over)),
    async addVersion(version, withRooms, topics = ['chat']) {
      const added = { blueprintId, organizationId, version, definition: definition(withRooms, topics) };
      const command = { type: 'AddBlueprintVersion', ...added } as const;
      await commands.execute(blueprintTarget(blueprintId), command, context, () => undefined);
    },
    apps: () => views.find('apps', {}),
    rooms: (appId) => views.find('rooms', appId === undefined ? {} : { filter: { appId } }),
    async close() {
      await projections.close();
      for (const each of [bus, stores, log, data]) await each.close();
      await folder.remove();
    },
  };
};

const requestsOn = (commands: CommandHandler) => {
  const deps = { commands, random: systemRandom };
  const caller = { organizationId, projectId, principal, permissions: null };
  const request = { caller, query: undefined, now, requestId: 'r1' };
  return {
    createApp: (body: Partial<CreateAppBody> = {}) =>
      createApp(deps, { ...request, path: {}, body: { name: 'App', blueprintId, ...body } }),
    resetApp: (appId: string) => resetApp(deps, { ...request, path: { appId }, body: undefined }),
  };
};

const definition = (rooms: readonly string[], topics: readonly string[]): BlueprintDefinition => ({
  topics,
  topicConfigs: {},
  config: {},
  hydrationWebhook: null,
  triggerWebhook: null,
  rooms: rooms.map((slug) => ({ name: slug, slug, description: null, topics: [], metadata: {} })),
  dependencies: null,
  files: null,
  framework: null,
});

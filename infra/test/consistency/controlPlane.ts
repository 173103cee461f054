import { actorRoutes } from '@roomwire/command-api/actors/routes';
import { createCommandHandler } from '@roomwire/command-api/handling/commandHandler';
import type { ApiRequest, ProjectCaller, Route } from '@roomwire/command-api/http/route';
import { scopeRoutes } from '@roomwire/command-api/scopes/routes';
import { changesOf } from '@roomwire/projections/projectors';
import { openEmbeddedEventLog } from '@roomwire/shared/adapters/event-log/embeddedEventLog';
import { openDataFolder } from '@roomwire/shared/adapters/lmdb/dataFolder';
import { systemRandom } from '@roomwire/shared/adapters/system/systemRandom';
import { openEmbeddedViewStores } from '@roomwire/shared/adapters/view-store/embeddedViewStore';
import type { RecordedEvent } from '@roomwire/shared/domain/eventEnvelope';
import type { EventLog } from '@roomwire/shared/ports/eventLog';
import type { ViewStore } from '@roomwire/shared/ports/viewStore';
import { temporaryFolder } from '@roomwire/testing/run/temporaryFolder';
import { createRecordingLogger } from '@roomwire/testing/fakes/loggers';

export type Append = EventLog['append'];

export interface Call {
  readonly path?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  /** Milliseconds after the first request; 0 unless told. */
  readonly atMs?: number;
}

/** What the process answers a project's request, or the error that it fails with. */
export type CommandApiProcess = (route: `${Uppercase<string>} ${string}`, call?: Call) => Promise<any>;

/** The faults of a separate process. */
export interface Surroundings {
  /** Stands between the process and the log. */
  readonly append?: (original: Append) => Append;
  /** Read models in which nothing can be searched for yet. */
  readonly isBehind?: boolean;
}

export interface ControlPlane {
  /** A separate process on the shared log and read models. */
  process(surroundings?: Surroundings): CommandApiProcess;
  close(): Promise<void>;
}

const start = Date.UTC(2026, 0, 1);
const caller: ProjectCaller = {
  ...{ organizationId: 'o1', projectId: 'p1', principal: 'apiKey:ak_live_1' },
  permissions: null,
};

/** Scopes and actors without HTTP: as many command-api processes as a test needs, at the times that it says. */
export const openControlPlane = async (): Promise<ControlPlane> => {
  const folder = await temporaryFolder();
  const data = await openDataFolder(folder.path);
  const log = await openEmbeddedEventLog(data);
  const stores = await openEmbeddedViewStores(data);
  const { views } = stores;
  await views.admitReaders(undefined);
  const projection = log.subscribeAll(undefined, {
    onEvents: (events) =>
      views.apply({
        changes: events.flatMap(changesOf),
        position: (events.at(-1) as RecordedEvent).position,
      }),
  });

  return {
    process({ append = (original: Append) => original, isBehind = false }: Surroundings = {}) {
      const own = appendingBy(
        log,
        append((...args) => log.append(...args)),
      );
      const { logger } = createRecordingLogger();
      const commands = createCommandHandler({ log: own, views, random: systemRandom, logger });
      const found = isBehind ? findingNothing(views) : views;
      const deps = { commands, views: found, usage: stores.usage, random: systemRandom };
      const routes = [...actorRoutes(deps), ...scopeRoutes(deps)];
      return (name, { path = {}, body = {}, atMs = 0 } = {}) => {
        const now = new Date(start + atMs).toISOString();
        const request = { caller, path, body, query: {}, now, requestId: systemRandom.uuid() };
        return handleOf(routes, name)(request);
      };
    },

    async close() {
      await projection.close();
      for (const each of [stores, log, data]) await each.close();
      await folder.remove();
    },
  };
};

/** The log, with another way to append to it. */
const appendingBy = (log: EventLog, append: Append): EventLog => ({
  append,
  readStream: (...args) => log.readStream(...args),
  readLast: (...args) => log.readLast(...args),
  readAll: (...args) => log.readAll(...args),
  subscribeAll: (...args) => log.subscribeAll(...args),
  head: () => log.head(),
  identity: () => log.identity(),
  readAt: (...args) => log.readAt(...args),
  close: () => log.close(),
});

const findingNothing = (views: ViewStore): ViewStore =>
  Object.assign(Object.create(views) as ViewStore, { find: async () => [] });

type Handle = (request: ApiRequest<ProjectCaller, unknown, unknown>) => Promise<unknown>;

const handleOf = (routes: readonly Route[], name: string): Handle => {
  const route = routes.find(({ method, path }) => `${method.toUpperCase()} ${path}` === name);
  if (route === undefined) throw new TypeError(`There is no route ${name}`);
  return route.handle as Handle;
};

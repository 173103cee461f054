import type { AccessLog } from '../../ports/accessLog.js';
import type { ActivityStore } from '../../ports/activityStore.js';
import type { FactLog } from '../../ports/connectionRecord.js';
import type { EngineUse } from '../../ports/errors.js';
import type { GroupStore } from '../../ports/groupStore.js';
import type { JobStore } from '../../ports/jobStore.js';
import type { PublishIds } from '../../ports/publishIds.js';
import type { ScheduleStore } from '../../ports/scheduleStore.js';
import type { SessionStore } from '../../ports/sessionStore.js';
import type { UsageStore } from '../../ports/usageStore.js';
import type { ViewReader } from '../../ports/viewStore.js';
import type { Served, ThreadLink } from './threadLink.js';

/** The ports of a gateway that are nothing but methods which resolve with data. */
export interface ThreadStores {
  readonly views: Omit<ViewReader, 'isLeftBehind'>;
  readonly usage: UsageStore;
  readonly sessions: SessionStore;
  readonly groups: GroupStore;
  readonly publishIds: PublishIds;
  readonly schedules: ScheduleStore;
  readonly jobs: JobStore;
  readonly accessLog: Pick<AccessLog, 'record' | 'prune'>;
  readonly activity: Pick<ActivityStore, 'note' | 'prune'>;
  readonly facts: FactLog;
}

type StoreName = keyof ThreadStores;

type MethodOf<Name extends StoreName> = Exclude<keyof ThreadStores[Name] & string, 'close'>;

const deletions = { removeOf: true, checkpoint: true, origin: true, moveCheckpoint: true } as const;

/** All but `close`, which whoever has opened a store calls. As properties, so that the compiler finds one that is missing. */
const methods: { readonly [Name in StoreName]: Readonly<Record<MethodOf<Name>, true>> } = {
  views: {
    ...({ get: true, find: true, count: true, reached: true, admitsReaders: true } as const),
    ...({ checkpoint: true, origin: true, extent: true } as const),
  },
  usage: {
    ...({ lastUses: true, usage: true, connections: true, usageByWriter: true } as const),
    ...({ noteUses: true, noteUsage: true, mergeUsage: true, noteConnections: true } as const),
  },
  sessions: { load: true, write: true, forget: true },
  groups: { load: true, write: true, remove: true },
  publishIds: { claim: true, sent: true, free: true, giveUp: true },
  schedules: {
    ...({ add: true, cancel: true, list: true, held: true, due: true, begin: true, end: true } as const),
    ...deletions,
  },
  jobs: {
    ...({ take: true, release: true, find: true, group: true, groupsOf: true } as const),
    ...({ write: true, describe: true, commit: true, remove: true } as const),
    ...({ page: true, get: true, recentIds: true } as const),
    ...deletions,
  },
  accessLog: { record: true, prune: true },
  activity: { note: true, prune: true },
  facts: { write: true },
};

const methodsOf = (name: StoreName): readonly string[] => Object.keys(methods[name]);

const uses: { readonly [Name in StoreName]: EngineUse } = {
  views: 'read models',
  usage: 'read models',
  sessions: 'sessions',
  groups: 'worker groups',
  publishIds: 'publish ids',
  schedules: 'schedules',
  jobs: 'jobs',
  accessLog: 'access log',
  activity: 'activity of projects',
  facts: 'connection record',
};

/** A store of the other thread. */
export const threadStore = <Name extends StoreName>(link: ThreadLink, name: Name): ThreadStores[Name] => {
  const called =
    (method: string) =>
    (...given: readonly unknown[]) =>
      link.callPort(uses[name], name, method, ...given);
  const store = Object.fromEntries(methodsOf(name).map((method) => [method, called(method)]));
  return { ...store, close: async () => undefined } as unknown as ThreadStores[Name];
};

/** For the other thread, those that there are. */
export const serveStores = (link: ThreadLink, stores: Partial<ThreadStores>): void => {
  for (const [name, store] of Object.entries(stores)) {
    if (store === undefined) continue;
    const served = methodsOf(name as StoreName).map((method) => [
      method,
      (...given: readonly unknown[]) =>
        (store as unknown as Record<string, (...given: readonly unknown[]) => unknown>)[method]?.(...given),
    ]);
    link.serve(name, Object.fromEntries(served) as Served);
  }
};

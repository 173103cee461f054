import {
  appsStream,
  evolveApp,
  type App,
  type AppChanges,
  type AppEvent,
  type AppFields,
} from '@roomwire/shared/domain/app';
import { inPlace, type Edits } from '../handling/edits.js';
import { changedFields, type Decider, targetOf } from '../handling/writeModel.js';
import { Rejection } from '../handling/rejections.js';

export interface CreateApp {
  readonly type: 'CreateApp';
  readonly app: Omit<AppFields, 'slug'>;
  /** Slugs in the order of preference; the first that is free is taken. */
  readonly slugs: readonly string[];
  /** The plan's limit, null for none. */
  readonly maxApps: number | null;
}

export type AppCommand =
  | CreateApp
  | {
      readonly type: 'UpdateApp';
      readonly appId: string;
      readonly projectId: string;
      readonly changes: AppChanges;
    }
  | { readonly type: 'DeleteApp'; readonly appId: string; readonly projectId: string };

/** The apps of a project. */
export interface AppsState {
  readonly byId: Map<string, App>;
  readonly slugs: Set<string>;
}

export const appsDecider: Decider<AppsState, AppCommand, AppEvent> = {
  initial: () => ({ byId: new Map(), slugs: new Set() }),

  evolve(state, event, edits = inPlace) {
    const { appId } = event.data;
    const before = state.byId.get(appId);
    const after = evolveApp(before, event);
    if (before) edits.remove(state.slugs, before.slug);
    if (after) putApp(state, after, edits);
    else edits.remove(state.byId, appId);
    return state;
  },

  decide(command, state) {
    switch (command.type) {
      case 'CreateApp': {
        if (command.maxApps !== null && state.byId.size >= command.maxApps)
          throw new Rejection('app_limit_reached', {});
        const slug = command.slugs.find((candidate) => !state.slugs.has(candidate));
        if (slug === undefined) throw new Rejection('app_slug_taken', { slug: command.slugs[0] ?? '' });
        return [{ type: 'AppCreated', data: { ...command.app, slug } }];
      }
      case 'UpdateApp': {
        const changes = changedFields(existing(state, command), command.changes);
        if (changes?.slug !== undefined && state.slugs.has(changes.slug))
          throw new Rejection('app_slug_taken', { slug: changes.slug });
        return changes ? [{ type: 'AppUpdated', data: { appId: command.appId, changes } }] : [];
      }
      case 'DeleteApp':
        existing(state, command);
        return [{ type: 'AppDeleted', data: { appId: command.appId } }];
    }
  },

  records: {
    version: 1,
    of: ({ byId }) => [...byId.values()],
    into: (state, record) => putApp(state, record as App, inPlace),
  },
};

const putApp = (state: AppsState, app: App, edits: Edits): AppsState => {
  edits.put(state.byId, app.appId, app);
  edits.add(state.slugs, app.slug);
  return state;
};

export const appsTarget = targetOf(appsStream, appsDecider);

export const existing = (
  state: AppsState,
  { appId, projectId }: { appId: string; projectId: string },
): App => {
  const app = state.byId.get(appId);
  if (app === undefined) throw new Rejection('app_not_found', { appId, projectId });
  return app;
};

import { createdApp, type AppEvent } from '@roomwire/shared/domain/apps/app';
import type { Projector } from './projector.js';

export const apps: Projector<AppEvent> = {
  AppCreated: (data, { occurredAt, position }) => [
    { put: 'apps', id: data.appId, doc: { ...createdApp(data, occurredAt), createdPosition: position } },
  ],
  AppUpdated: ({ appId, changes }, { occurredAt }) => [
    { patch: 'apps', id: appId, set: { ...changes, updatedAt: occurredAt } },
  ],
  AppDeleted: ({ appId }) => [
    { remove: 'apps', id: appId },
    { removeWhere: 'grants', filter: { appId } },
    { removeWhere: 'rooms', filter: { appId } },
  ],
};

import { blueprintVersionId } from '@roomwire/shared/contracts/views/views';
import { registeredBlueprint, type BlueprintEvent } from '@roomwire/shared/domain/blueprints/blueprint';
import type { Projector } from './projector.js';

export const blueprints: Projector<BlueprintEvent> = {
  BlueprintRegistered: (data, { occurredAt, position }) => [
    {
      put: 'blueprints',
      id: data.blueprintId,
      doc: { ...registeredBlueprint(data, occurredAt), createdPosition: position },
    },
  ],
  BlueprintVersionAdded: ({ versions, ...added }, { occurredAt, position }) => [
    {
      put: 'blueprintVersions',
      id: blueprintVersionId(added.blueprintId, added.version),
      doc: { ...added, createdPosition: position },
    },
    { patch: 'blueprints', id: added.blueprintId, set: { versions, updatedAt: occurredAt } },
  ],
};

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
  // What a version defines is asked of its stream alone.
  BlueprintVersionAdded: ({ blueprintId, versions }, { occurredAt }) => [
    { patch: 'blueprints', id: blueprintId, set: { versions, updatedAt: occurredAt } },
  ],
};

import type { Blueprint } from '@roomwire/shared/domain/blueprints/blueprint';

/** Without the definitions: they are large, and whoever registered them has them. */
export const presentBlueprint = (blueprint: Blueprint) => ({
  blueprintId: blueprint.blueprintId,
  organizationId: blueprint.organizationId,
  name: blueprint.name,
  version: blueprint.versions.at(-1) ?? null,
  versions: blueprint.versions,
  createdAt: blueprint.createdAt,
  updatedAt: blueprint.updatedAt,
});

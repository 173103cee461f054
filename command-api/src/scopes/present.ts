import type { Scope } from '@roomwire/shared/domain/scopes/scope';

export const presentScope = (scope: Scope) => ({
  accessScopeId: scope.accessScopeId,
  projectId: scope.projectId,
  slug: scope.slug,
  name: scope.name,
  description: scope.description,
  metadata: scope.metadata,
  isActive: scope.isActive,
  createdAt: scope.createdAt,
  updatedAt: scope.updatedAt,
});

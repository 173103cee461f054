import type { Scope } from '@roomwire/shared/domain/scopes/scope';
import type { ViewStore } from '@roomwire/shared/ports/viewStore';
import { Rejection } from '../handling/rejections.js';
import { pathValue, type ProjectCaller } from '../http/route.js';

interface ScopeRequest {
  readonly caller: ProjectCaller;
  readonly path: Readonly<Record<string, string>>;
}

/** The scope that the path names, as the read models show it. Another project's scope does not exist. */
export const findScope = async (views: ViewStore, request: ScopeRequest): Promise<Scope> => {
  const accessScopeId = pathValue(request, 'scopeId');
  const scope = await views.get('scopes', accessScopeId);
  if (scope?.projectId !== request.caller.projectId)
    throw new Rejection('scope_not_found', { accessScopeId });
  return scope;
};

import { includesRole } from '@roomwire/shared/domain/role';
import { includesPermission, type Permission } from '@roomwire/shared/domain/permission';
import type { ViewReader } from '@roomwire/shared/ports/viewStore';
import { Rejection } from '../handling/rejections.js';
import { isWrite, organizationParameter, roleIn, roleNeeded } from './route.js';
import type { Caller, ProjectCaller, Route } from './route.js';

/** Rejects where a caller who is known may not make this request to the route. */
export type Authorize = (
  route: Route,
  caller: Caller,
  path: Readonly<Record<string, string>>,
) => Promise<void>;

/**
 * Permissions of API keys; roles in organizations, which may have revoked the session; and a suspended organization only
 * reads, whoever asks but for operators.
 */
export const createAuthorizer = ({ views }: { readonly views: Pick<ViewReader, 'get'> }): Authorize => {
  const requireActive = async (organizationId: string): Promise<void> => {
    const organization = await views.get('organizations', organizationId);
    if (organization?.status === 'suspended') throw new Rejection('organization_suspended', {});
  };

  return async (route, caller, path) => {
    if ('address' in caller) return;
    if ('projectId' in caller) {
      if (route.access === 'project') requirePermission(caller, route.permission);
      if (isWrite(route) && !caller.isOperator) await requireActive(caller.organizationId);
      return;
    }
    const organizationId = path[organizationParameter];
    if (organizationId === undefined || caller.isOperator) return;
    if (caller.revokedIn.has(organizationId)) throw new Rejection('session_revoked', {});
    // To a session without the organization it does not exist, whatever its state.
    if (!caller.organizationIds.includes(organizationId)) return;
    const role = roleNeeded(route);
    if (!includesRole(roleIn(caller, organizationId), role)) throw new Rejection('role_required', { role });
    if (isWrite(route)) await requireActive(organizationId);
  };
};

const requirePermission = ({ permissions }: ProjectCaller, permission: Permission): void => {
  if (!includesPermission(permissions, permission)) throw new Rejection('permission_missing', { permission });
};

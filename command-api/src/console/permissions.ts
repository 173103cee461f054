import { permissionResources, permissions, type Permission } from '@roomwire/shared/domain/permission';
import type { Role } from '@roomwire/shared/domain/role';

/** An editor changes what the service does; who may do it is for admins, and so is what they have revoked or recorded. */
const ofEditors: readonly Permission[] = [
  ...(['apps', 'rooms', 'publish', 'groups', 'schedules'] as const).map(
    (resource) => `${resource}:write` as const,
  ),
  ...(['grants', 'actors', 'scopes', 'signing-keys', 'history', 'presence', 'revocations'] as const).map(
    (resource) => `${resource}:read` as const,
  ),
];

/** What the API key of a console opens, by the role of its session. */
export const consolePermissions: { readonly [R in Role]: readonly Permission[] } = {
  viewer: permissionResources.map((resource) => `${resource}:read` as const),
  editor: ofEditors,
  admin: permissions,
};

/** What an API key may be limited to. Some are of endpoints that come later, so that keys made today keep their meaning. */
export const permissionResources = [
  ...(['apps', 'rooms', 'grants', 'actors', 'scopes', 'signing-keys'] as const),
  ...(['publish', 'history', 'presence', 'revocations', 'groups', 'schedules'] as const),
] as const;

export type PermissionResource = (typeof permissionResources)[number];
export type Permission = `${PermissionResource}:${'read' | 'write'}`;

export const permissions: readonly Permission[] = permissionResources.flatMap(
  (resource) => [`${resource}:read`, `${resource}:write`] as const,
);

/** Null stands for all; to write includes to read. */
export const includesPermission = (held: readonly Permission[] | null, needed: Permission): boolean =>
  held === null || held.includes(needed) || held.includes(needed.replace(/:read$/, ':write') as Permission);

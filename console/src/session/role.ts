export const roles = ['viewer', 'editor', 'admin'] as const;
export type Role = (typeof roles)[number];

/** Whether a role may do what needs at least another. */
export const mayAs = (role: Role, least: Role): boolean => roles.indexOf(role) >= roles.indexOf(least);

/** What a user may do in an organization, each role including those before it. */
export const roles = ['viewer', 'editor', 'admin'] as const;
export type Role = (typeof roles)[number];

export const includesRole = (held: Role, needed: Role): boolean =>
  roles.indexOf(held) >= roles.indexOf(needed);

import { roles, type Role } from '../domain/role.js';

/** The claims that say what a session may do; an issuer may have other names for them. */
export interface ClaimNames {
  readonly organizations: string;
  readonly operator: string;
  readonly roles: string;
}

export const ownClaimNames: ClaimNames = { organizations: 'orgs', operator: 'operator', roles: 'roles' };

export interface SessionGrants {
  readonly organizationIds: readonly string[];
  readonly isOperator: boolean;
  /** By organization; whoever has no role in one is its admin. */
  readonly roles: ReadonlyMap<string, Role>;
}

/** Undefined where the roles are malformed: taken as absent, they would make an admin. */
export const readGrants = (
  payload: Readonly<Record<string, unknown>>,
  names: ClaimNames,
): SessionGrants | undefined => {
  const claim = (name: string): unknown => (Object.hasOwn(payload, name) ? payload[name] : undefined);
  const [organizationIds, granted] = [claim(names.organizations), readRoles(claim(names.roles))];
  return (
    granted && {
      organizationIds: Array.isArray(organizationIds)
        ? organizationIds.filter((id) => typeof id === 'string').map((id) => id.toLowerCase())
        : [],
      isOperator: claim(names.operator) === true,
      roles: granted,
    }
  );
};

const readRoles = (claim: unknown): ReadonlyMap<string, Role> | undefined => {
  if (claim === undefined) return new Map();
  if (typeof claim !== 'object' || claim === null || Array.isArray(claim)) return undefined;
  const entries = Object.entries(claim).map(([id, role]) => [id.toLowerCase(), role] as const);
  const granted = new Map(entries.filter((entry): entry is readonly [string, Role] => isGrant(entry)));
  // Every entry counts, and none twice.
  return granted.size === entries.length ? granted : undefined;
};

const uuidPattern = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** A role under what is no organization would be missed without a word. */
const isGrant = ([id, role]: readonly [string, unknown]): boolean =>
  uuidPattern.test(id) && (roles as readonly unknown[]).includes(role);

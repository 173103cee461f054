import { systemClock } from '@roomwire/shared/adapters/system/systemClock';
import { systemRandom } from '@roomwire/shared/adapters/system/systemRandom';
import type { Role } from '@roomwire/shared/domain/role';
import { mintSessionToken } from '@roomwire/shared/credentials/sessionToken';
import { mintSignInCode } from '@roomwire/shared/credentials/signInCode';

/** Of every service that a test starts. */
const sessionSecret = new Uint8Array(32).fill(7);

const sessionOf = (organizationId: string, subject: string, role: Role) => ({
  subject,
  organizationIds: [organizationId],
  isOperator: false,
  roles: { [organizationId]: role },
});

/** A session of one organization, for an hour. */
export const mintSession = (organizationId: string, subject: string, role: Role = 'admin'): Promise<string> =>
  mintSessionToken(sessionSecret, sessionOf(organizationId, subject, role), 3_600, systemClock);

/** What the printed link has. */
export const mintCode = (organizationId: string, subject: string): string =>
  mintSignInCode(sessionSecret, sessionOf(organizationId, subject, 'admin'), systemClock, systemRandom);

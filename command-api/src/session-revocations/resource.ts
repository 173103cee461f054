import type { SessionRevocation } from '@roomwire/shared/domain/sessionRevocation';
import { exampleIds, exampleTime } from '../http/exampleValues.js';
import { pageQuerySchema } from '../http/listing.js';
import * as s from '../http/schema.js';

const sessionName = s.text({ minLength: 1, maxLength: 1024, format: 'display-name' });

export const createSessionRevocationSchema = s.limited(
  s.titled(
    'NewSessionRevocation',
    s.strictObject({
      jti: s.described(sessionName, 'The id of one session: its claim `jti`'),
      subject: s.described(
        sessionName,
        'All earlier sessions of a subject: its claim `sub`, or its principal, `session:<sub>` or `oidc:<issuer>|<sub>`',
      ),
    }),
  ),
  { exactlyOneOf: ['jti', 'subject'] },
);

export const sessionRevocationsQuerySchema = pageQuerySchema(['createdAt']);

export const sessionRevocationSchema = s.titledObject('SessionRevocation', {
  revocationId: s.uuid,
  organizationId: s.uuid,
  jti: s.described(s.orNull(s.text()), 'Null where a subject is revoked'),
  subject: s.described(s.orNull(s.text()), 'Null where one session is revoked'),
  byOperator: s.flag({ description: 'An operator made it: sessions of operators end, too' }),
  createdAt: s.described(s.time, 'Sessions of a subject that were issued before this second have ended'),
});

type SessionRevocationAnswer = s.ValueOf<typeof sessionRevocationSchema>;

export const presentSessionRevocation = (revocation: SessionRevocation): SessionRevocationAnswer => ({
  revocationId: revocation.revocationId,
  organizationId: revocation.organizationId,
  jti: revocation.jti,
  subject: revocation.subject,
  byOperator: revocation.byOperator,
  createdAt: revocation.createdAt,
});

export const exampleNewSessionRevocation = { subject: 'ada' };

export const exampleSessionRevocation: SessionRevocationAnswer = {
  revocationId: exampleIds.revocationId,
  organizationId: exampleIds.organizationId,
  jti: null,
  ...exampleNewSessionRevocation,
  byOperator: false,
  createdAt: exampleTime,
};

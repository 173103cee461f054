import type { TokenRevocation } from '@roomwire/shared/domain/tokenRevocation';
import { exampleIds, exampleTime } from '../http/exampleValues.js';
import * as s from '../http/schema.js';

const subjectDescription =
  'The `actorTokenId` of an actor, or the `sub` of an external one: `ext:` and its name';

export const createTokenRevocationSchema = s.titled(
  'NewTokenRevocation',
  s.strictObject(
    {
      subject: s.described(
        s.text({ format: 'token-subject' }),
        `${subjectDescription}. The \`keyId\` of an actor is as good as its \`actorTokenId\``,
      ),
      before: s.described(s.time, 'Not in the future; now by default'),
    },
    ['subject'],
  ),
);

export const tokenRevocationSchema = s.titledObject('TokenRevocation', {
  revocationId: s.uuid,
  projectId: s.uuid,
  subject: s.described(s.text(), subjectDescription),
  before: s.described(
    s.time,
    'Client tokens whose `iat` is before this second, or that have none, are refused',
  ),
  createdAt: s.time,
});

type TokenRevocationAnswer = s.ValueOf<typeof tokenRevocationSchema>;

export const presentTokenRevocation = (revocation: TokenRevocation): TokenRevocationAnswer => ({
  revocationId: revocation.revocationId,
  projectId: revocation.projectId,
  subject: revocation.subject,
  before: revocation.before,
  createdAt: revocation.createdAt,
});

export const exampleNewTokenRevocation = { subject: 'ext:ada' };

export const exampleTokenRevocation: TokenRevocationAnswer = {
  revocationId: exampleIds.revocationId,
  projectId: exampleIds.projectId,
  ...exampleNewTokenRevocation,
  before: exampleTime,
  createdAt: exampleTime,
};

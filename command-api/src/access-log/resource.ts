import type { AccessEntry } from '@roomwire/shared/ports/accessLog';
import { placePattern } from '@roomwire/shared/wire/accessPlaces';
import { exampleIds, exampleTime } from '../http/exampleValues.js';
import * as s from '../http/schema.js';

const principals =
  '`apiKey:<keyId>`, `session:<subject>`, `oidc:<issuer>|<subject>`, `actor:<keyId>` or `signingKey:<keyId>`';

export type AccessQuery = s.ValueOf<typeof accessQuerySchema>;

export const accessQuerySchema = s.queryOf({
  projectId: s.uuid,
  principal: s.text({ maxLength: 500, description: principals }),
  reason: s.text({ maxLength: 100, description: 'For example `permission_missing`' }),
  from: s.described(s.time, 'Inclusive'),
  to: s.described(s.time, 'Inclusive'),
  limit: s.number({ description: 'Entries on a page; clamped to 1-100', default: 50 }),
  cursor: s.text({ maxLength: 40, pattern: placePattern, description: '`nextCursor` of the previous page' }),
});

const entrySchema = s.titledObject('AccessEntry', {
  at: s.described(s.time, 'When the first of them was'),
  organizationId: s.uuid,
  projectId: s.orNull(s.uuid),
  principal: s.text({ description: principals }),
  address: s.text({ description: 'Of the client, in the first of them' }),
  method: s.text({ description: '`WS` for the socket' }),
  route: s.text({
    description:
      'The path, with `{name}` for its parameters. Of the socket the frame, `auth` or `reauth`, or `connection` for one that was ended',
  }),
  status: s.number({
    description: 'Of the socket 401 or 403, or the code with which a connection was ended',
  }),
  reason: s.text({ description: 'For example `permission_missing`' }),
  count: s.number({ description: 'Refusals within a minute that are alike' }),
});

export const accessPageSchema = s.titledObject('AccessPage', {
  data: s.listOf(entrySchema),
  nextCursor: s.described(
    s.orNull(s.text()),
    'Null on the last page. A page may have fewer entries than its limit and not be the last.',
  ),
});

const { organizationId, projectId } = exampleIds;

export const exampleAccessPage: s.ValueOf<typeof accessPageSchema> = {
  data: [
    {
      ...{ at: exampleTime, organizationId, projectId },
      principal: 'apiKey:ak_live_f70d12ad52d081a4fbe86809',
      ...{ address: '203.0.113.7', method: 'POST', route: '/v1/apps', status: 403 },
      ...{ reason: 'permission_missing', count: 3 },
    },
  ],
  nextCursor: null,
};

export const presentAccess = ({ at, place: _, ...entry }: AccessEntry): s.ValueOf<typeof entrySchema> => ({
  ...entry,
  at: new Date(at).toISOString(),
});

import { permissions } from '@roomwire/shared/domain/permission';
import type { Scope } from '@roomwire/shared/domain/scope';
import { limitTable } from '@roomwire/shared/wire/limits/limitTable';
import { exampleIds, exampleSecret, exampleTime } from '../http/exampleValues.js';
import * as s from '../http/schema.js';
import { consolePermissions } from './permissions.js';

export const consoleAccessQuerySchema = s.queryOf({
  scope: s.text({
    description:
      'An `accessScopeId`: the rooms of that scope are observed; without it those outside of every scope',
  }),
});

const observedScopeSchema = s.titledObject('ObservedScope', {
  accessScopeId: s.uuid,
  slug: s.text(),
  name: s.text(),
});

export const consoleAccessSchema = s.titledObject('ConsoleAccess', {
  apiKey: s.text({
    description: 'Opens the endpoints of the project, as far as the role of the session goes',
  }),
  permissions: s.described(s.listOf(s.oneOf(permissions)), 'What the API key opens'),
  token: s.text({
    description: 'A client token of an observer: it may subscribe in every room, and publishes nothing',
  }),
  actorTokenId: s.described(s.uuid, 'Of the observer, of which there is no record'),
  accessScope: s.described(s.orNull(observedScopeSchema), 'Null outside of every scope'),
  expiresAt: s.described(
    s.time,
    `Of both: an hour from now (${limitTable.consoleAccessMs.value / 60_000} minutes), or when the session ends`,
  ),
});

type ConsoleAccessAnswer = s.ValueOf<typeof consoleAccessSchema>;

export const observedScope = (scope: Scope | undefined): ConsoleAccessAnswer['accessScope'] =>
  scope === undefined ? null : { accessScopeId: scope.accessScopeId, slug: scope.slug, name: scope.name };

export const exampleConsoleAccess: ConsoleAccessAnswer = {
  apiKey: `ak_console_EXAMPLE.${exampleSecret}`,
  permissions: consolePermissions.viewer,
  token: `EXAMPLE.EXAMPLE.${exampleSecret}`,
  actorTokenId: exampleIds.actorTokenId,
  accessScope: null,
  expiresAt: exampleTime,
};

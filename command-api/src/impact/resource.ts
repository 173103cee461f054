import type { CutOff } from '@roomwire/shared/ports/impact';
import { limitTable } from '@roomwire/shared/wire/limits/limitTable';
import { exampleIds } from '../http/exampleValues.js';
import * as s from '../http/schema.js';

export const impactQuerySchema = s.titled(
  'AssumedChange',
  s.strictObject(
    {
      method: s.oneOf(['POST', 'PATCH', 'DELETE']),
      path: s.text({
        maxLength: 512,
        description: 'Of the request that would make the change, such as `/v1/apps/<appId>/rooms/<roomId>`',
      }),
      body: s.anything({ description: 'As that request would have it' }),
    },
    ['method', 'path'],
  ),
);

const mostShown = limitTable.impactShown.value;

const cutOffSchema = s.titledObject('CutOff', {
  actorTokenId: s.text(),
  name: s.described(s.orNull(s.text()), 'Null for an external actor'),
  address: s.text({ description: '`app-slug/room-slug/topic`, as its clients write it' }),
  scope: s.described(s.orNull(s.text()), 'The slug of its access scope'),
  rule: s.text({ description: 'Why it may not subscribe any more, e.g. `grant_missing` or `room_inactive`' }),
  connections: s.described(s.count, 'Of this actor, with this subscription'),
});

const impactFields = {
  data: s.described(
    s.listOf(cutOffSchema),
    `Those with the most connections, at most ${mostShown}; empty where nobody is cut off`,
  ),
  total: s.described(s.count, 'Subscriptions that would end, of all actors and connections'),
};

export const impactSchema = s.either(
  s.titledObject('Impact', impactFields),
  s.titledObject('ActorImpact', {
    ...impactFields,
    connections: s.described(s.count, 'Of the actor, that would close, also those without a subscription'),
  }),
);

export const presentCutOff = (
  { actorTokenId, address, scope, rule, connections }: CutOff,
  names: ReadonlyMap<string, string>,
): s.ValueOf<typeof cutOffSchema> => ({
  ...{ actorTokenId, name: names.get(actorTokenId) ?? null, address, scope, rule, connections },
});

export const exampleAssumedChange = {
  method: 'PATCH' as const,
  path: `/v1/apps/${exampleIds.appId}/rooms/${exampleIds.roomId}`,
  body: { status: 'disabled' },
};

export const exampleImpact = {
  data: [
    {
      ...{ actorTokenId: exampleIds.actorTokenId, name: 'Ann', address: 'support-desk-1a2b/lobby/chat' },
      ...{ scope: null, rule: 'room_inactive', connections: 2 },
    },
  ],
  total: 2,
};

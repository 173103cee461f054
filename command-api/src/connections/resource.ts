import { plainTopicOf } from '@roomwire/shared/domain/topic';
import type { RecordedConnection, RecordedFact } from '@roomwire/shared/ports/connectionRecord';
import type { ConnectionFact, FactOf } from '@roomwire/shared/wire/bus/connectionFacts';
import { connectionPlacePattern, factPlacePattern } from '@roomwire/shared/wire/connectionPlaces';
import { clampedLimit } from '../http/clampedLimit.js';
import { exampleIds, exampleTime } from '../http/exampleValues.js';
import * as s from '../http/schema.js';

const states = ['open', 'closed'] as const;

export const connectionsQuerySchema = s.queryOf({
  projectId: s.uuid,
  actorId: s.text({ maxLength: 300, description: 'An `actorTokenId`' }),
  room: s.text({
    maxLength: 201,
    pattern: '^[a-z0-9-]+/[a-z0-9-]+$',
    description: '`app-slug/room-slug`: those that were subscribed there at some time, in any scope',
  }),
  state: s.oneOf(states),
  limit: s.number({ description: 'Connections on a page; clamped to 1-100', default: 50 }),
  cursor: s.text({ pattern: connectionPlacePattern, description: '`nextCursor` of the previous page' }),
});

export const limitOf = ({ limit = 50 }: { readonly limit?: number | undefined }, most = 100): number =>
  clampedLimit(limit, most);

const connectionSchema = s.titledObject('Connection', {
  connectionId: s.uuid,
  projectId: s.uuid,
  actorTokenId: s.text(),
  keyId: s.text({ description: 'The public id of the actor; of an external actor the `sub` of its tokens' }),
  actorType: s.text(),
  scope: s.described(s.orNull(s.text()), 'The slug of its scope'),
  gateway: s.text({ description: 'Names the gateway, anew with each of its starts' }),
  address: s.text({ description: 'Of the client, as the trusted proxies name it' }),
  sdk: s.described(s.orNull(s.text()), 'What the client says that it is: a name and a version'),
  connectedAt: s.time,
  authenticatedAt: s.time,
  closedAt: s.described(
    s.orNull(s.time),
    'Null while it is open; where nobody saw its end, the latest that it can be',
  ),
  seenOpenAt: s.described(
    s.orNull(s.time),
    'Where nobody saw its end: when it was open for certain. Between the two it is unknown',
  ),
  closeCode: s.described(s.orNull(s.number()), 'Null while it is open, and where nobody saw its end'),
  closeReason: s.described(
    s.orNull(s.text()),
    'As in the close. `gateway_lost`: its gateway ended and could not say so; `not_recorded`: it ended in a time of which facts are missing',
  ),
  closedBy: s.orNull(s.oneOf(['gateway', 'client'] as const)),
  subscriptions: s.described(s.count, 'That it has, or had when it closed'),
});

type ConnectionAnswer = s.ValueOf<typeof connectionSchema>;

const timeOf = (milliseconds: number): string => new Date(milliseconds).toISOString();

export const presentConnection = (connection: RecordedConnection): ConnectionAnswer => {
  const { closed, connectedAt, authenticatedAt, connectionId, projectId, actorTokenId, keyId } = connection;
  const { actorType, scope, gateway, address, sdk, subscriptions } = connection;
  return {
    ...{
      connectionId,
      projectId,
      actorTokenId,
      keyId,
      actorType,
      scope,
      gateway,
      address,
      sdk,
      subscriptions,
    },
    ...{ connectedAt: timeOf(connectedAt), authenticatedAt: timeOf(authenticatedAt) },
    closedAt: closed && timeOf(closed.at),
    seenOpenAt: closed && closed.seenOpenAt !== closed.at ? timeOf(closed.seenOpenAt) : null,
    closeCode: closed?.code ?? null,
    closeReason: closed?.reason ?? null,
    closedBy: closed?.by ?? null,
  };
};

const nextCursor = s.described(
  s.orNull(s.text()),
  'Null on the last page. A page may have fewer entries than its limit and not be the last.',
);

export const connectionPageSchema = s.titledObject('ConnectionPage', {
  data: s.listOf(connectionSchema),
  nextCursor,
});

export const timelineQuerySchema = s.queryOf({
  limit: s.number({ description: 'Entries on a page; clamped to 1-1000', default: 100 }),
  cursor: s.text({ pattern: factPlacePattern, description: '`nextCursor` of the previous page' }),
});

const kinds = [
  ...(['authenticated', 'renewed', 'subscribed', 'changed', 'replayed', 'unsubscribed'] as const),
  ...(['handedOut', 'slow', 'closed', 'standing'] as const),
] as const;

const filters = s.listOf(s.either(s.text(), s.listOf(s.text())));
const wishes = {
  filters: s.described(filters, 'Left out for every message'),
  filtersLeftOut: s.flag({ description: 'It has filters, which are too long for the record' }),
  own: s.flag({ description: 'It gets what its actor publishes by other connections' }),
  group: s.text({ description: 'The worker group of which it is a member' }),
  jobs: s.flag({ description: 'Of a group with jobs' }),
};
const place = s.described(
  s.titledObject('MessagePlace', { epoch: s.orNull(s.count), offset: s.count }),
  'Of a topic with history: messages before this one are before it, in the order of the room',
);
const topicFields = {
  topic: s.text({ description: '`app-slug/room-slug/topic`' }),
  scope: s.described(s.orNull(s.text()), 'The slug of the scope'),
  place,
};

/** Of a timeline, and of whatever rests on it. */
export const entrySchema = s.titled(
  'ConnectionEntry',
  s.strictObject(
    {
      at: s.time,
      kind: s.described(
        s.oneOf(kinds),
        '`changed`: a subscription has other options. `replayed`: it was sent earlier messages. `handedOut`: a job was written to it. `slow`: it did not read what was written. `standing`: it was open, with these subscriptions',
      ),
      ...topicFields,
      ...wishes,
      narrowed: s.flag({ description: 'Its client token leaves out some of the rights' }),
      reason: s.text({
        description: 'Of `closed` and `unsubscribed`: `client`, or why its rights have ended',
      }),
      rule: s.text({ description: 'By which it may not subscribe any more' }),
      code: s.number({ description: 'Of the close' }),
      by: s.oneOf(['gateway', 'client'] as const),
      since: s.described(s.time, 'Of `slow`: some of what it was to get since then was not written'),
      bytes: s.described(s.count, 'Of `slow`: that were not written'),
      messageId: s.text({ description: 'Of a job' }),
      delivery: s.described(s.count, 'Of a job, counted from 1'),
      subscriptions: s.listOf(s.strictObject({ ...topicFields, ...wishes }, ['topic', 'scope'])),
    },
    ['at', 'kind'],
  ),
);

type Entry = s.ValueOf<typeof entrySchema>;

export const timelineSchema = s.titledObject('ConnectionTimeline', {
  connection: connectionSchema,
  data: s.described(s.listOf(entrySchema), 'The oldest first'),
  nextCursor: s.described(s.orNull(s.text()), 'Null on the last page'),
});

type Standing = FactOf<'standing'>['subscriptions'][number];
type Told = Pick<
  Entry,
  'topic' | 'scope' | 'place' | 'filters' | 'filtersLeftOut' | 'own' | 'group' | 'jobs'
>;

const presentTopic = ({ topic, place: at }: Pick<Standing, 'topic' | 'place'>) => {
  const { app, room, topic: name, scope } = plainTopicOf(topic);
  return {
    ...{ topic: `${app}/${room}/${name}`, scope },
    ...(at && { place: { epoch: at.epoch ?? null, offset: at.offset } }),
  };
};

const presentSubscription = ({ filters, filtersLeftOut, own, group, jobs, ...where }: Standing) => ({
  ...presentTopic(where),
  ...(filters && { filters: filters.map((one) => (typeof one === 'string' ? one : [...one])) }),
  ...(filtersLeftOut && { filtersLeftOut }),
  ...(own && { own }),
  ...(group !== undefined && { group }),
  ...(jobs && { jobs }),
});

export const presentFact = ({ fact }: RecordedFact): Entry => ({
  ...{ at: timeOf(fact.at), kind: fact.kind },
  ...fieldsOf(fact),
});

const fieldsOf = (fact: ConnectionFact): Omit<Entry, 'at' | 'kind'> => {
  switch (fact.kind) {
    case 'authenticated':
    case 'renewed':
      return { scope: fact.scope, ...(fact.narrowed && { narrowed: true }) };
    case 'subscribed':
    case 'changed':
      return presentSubscription(fact);
    case 'replayed':
      return presentTopic(fact);
    case 'unsubscribed':
      return {
        ...presentTopic(fact),
        reason: fact.reason,
        ...(fact.rule !== undefined && { rule: fact.rule }),
      };
    case 'handedOut': {
      const { group, messageId, delivery } = fact;
      return { ...presentTopic(fact), group, messageId, delivery };
    }
    case 'slow':
      return { since: timeOf(fact.since), bytes: fact.bytes };
    case 'closed': {
      const { code, reason, by } = fact;
      return { code, reason, by };
    }
    case 'standing':
      return {
        scope: fact.scope,
        subscriptions: fact.subscriptions.map((one): Told & { topic: string; scope: string | null } =>
          presentSubscription(one),
        ),
      };
  }
};

const { projectId, actorTokenId } = exampleIds;

const exampleConnection: ConnectionAnswer = {
  ...{ connectionId: exampleIds.connectionId, projectId, actorTokenId, keyId: 'actor_live_8f3a2b1c9d4e5f60' },
  ...{ actorType: 'device', scope: null, gateway: 'c1f0b8a2-5a0e-4a57-9a43-0e8d7b1f2c3d' },
  ...{
    address: '203.0.113.7',
    sdk: 'roomwire-js/1.4.0',
    connectedAt: exampleTime,
    authenticatedAt: exampleTime,
  },
  ...{
    closedAt: null,
    seenOpenAt: null,
    closeCode: null,
    closeReason: null,
    closedBy: null,
    subscriptions: 1,
  },
};

export const exampleConnectionPage: s.ValueOf<typeof connectionPageSchema> = {
  data: [exampleConnection],
  nextCursor: null,
};

export const exampleTimeline: s.ValueOf<typeof timelineSchema> = {
  connection: exampleConnection,
  data: [
    { at: exampleTime, kind: 'authenticated', scope: null },
    {
      ...{ at: exampleTime, kind: 'subscribed', topic: 'plant-1a2b/hall-3/temperature', scope: null },
      ...{ place: { epoch: 1_777_000_000_000, offset: 42 }, filters: ['line-4'] },
    },
  ],
  nextCursor: null,
};

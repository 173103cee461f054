import {
  constant,
  count,
  described,
  flag,
  integer,
  listOf,
  mapOf,
  object,
  oneOf,
  optional,
  text,
  textOrNull,
  union,
  type TypeOf,
} from '../schema.js';
import { filterEntries } from '../protocol/messageOptions.js';
import type { Channel } from './channel.js';
import { versionedRecord } from './recordCodec.js';

const time = described('Unix milliseconds', count);

const place = object({
  epoch: optional(described('Of the numbering, where the gateway knew it', count)),
  offset: described('Of the next message of the room: those before it are before the fact', count),
});

/**
 * Between which messages of its room something was, among those with history: what has this offset or a higher one is after it. The epoch is left out
 * where nobody had asked for it yet.
 */
export type FactPlace = TypeOf<typeof place>;

const where = optional(described('Left out where the gateway did not know it', place));
const places = described(
  'By internal room, of those in which it was subscribed: of very many, some are left out',
  mapOf(place),
);

const topicFields = {
  topic: described('Project, app, scope, room and topic', text),
  place: where,
};

/** What decides which messages of a topic a subscription gets. */
const wishes = {
  filters: optional(described('Left out for every message', filterEntries)),
  filtersLeftOut: optional(described('It has filters, which are too long for the record', flag)),
  own: optional(described('It gets what its actor publishes by other connections', flag)),
  group: optional(described('The worker group of which it is a member', text)),
  jobs: optional(described('Of a group with jobs', flag)),
  replays: optional(described('Its messages wait behind a replay, until that has ended', flag)),
};

/** With what a connection stands: each is new with `authenticated`, and as it was with `standing`. */
const holder = {
  organizationId: text,
  projectId: text,
  actorTokenId: text,
  keyId: described('The public id of the actor; of an external one the `sub` of its tokens', text),
  actorType: text,
  scope: described('The slug', textOrNull),
  narrowed: optional(described('Its client token leaves out some of the rights', flag)),
  mark: described('Names it in the ids of the messages that it publishes', text),
  address: described('Of the client', text),
  sdk: optional(described('What the client says that it is: a name and a version', text)),
  connectedAt: time,
};

/** Of its connection and its time; the other fields are those of the kind. */
const of = { connection: described('Its id', text), at: time };

const facts = [
  object({ ...of, kind: constant('authenticated'), ...holder }),
  /** It goes on with another token, or in another scope. */
  object({
    ...of,
    kind: constant('renewed'),
    scope: described('The slug', textOrNull),
    narrowed: optional(flag),
  }),
  object({ ...of, kind: constant('subscribed'), ...topicFields, ...wishes }),
  /** The subscription has these wishes from now on. */
  object({ ...of, kind: constant('changed'), ...topicFields, ...wishes }),
  /**
   * What came before a subscription has been sent, and what was held behind that. Its place is where the live messages of a new one begin. A replay that
   * was cut short is not told of.
   */
  object({
    ...of,
    kind: constant('replayed'),
    ...topicFields,
    first: optional(described('Of the oldest message that was sent, itself; left out for none', place)),
  }),
  object({
    ...of,
    kind: constant('unsubscribed'),
    ...topicFields,
    reason: described('`client`, or why its rights have ended', text),
    rule: optional(described('By which it may not subscribe any more', text)),
  }),
  /** It was not read from as fast as it was written to: some of what it was to get since then was not written. */
  object({
    ...of,
    kind: constant('slow'),
    since: described('When everything had been read the last time, Unix milliseconds', count),
    bytes: described('That were not written', count),
    places,
  }),
  object({
    ...of,
    kind: constant('closed'),
    code: integer,
    reason: text,
    by: oneOf('gateway', 'client'),
    places,
  }),
  /** A job was written to it. */
  object({
    ...of,
    kind: constant('handedOut'),
    ...topicFields,
    group: text,
    messageId: text,
    delivery: described('Counted from 1', count),
  }),
  /** After a gap, and at least once in `standingMs`: the connection is open, with these subscriptions and no others but those that the next facts say it
   * subscribes to at this time. */
  object({
    ...of,
    kind: constant('standing'),
    ...holder,
    subscriptions: listOf(object({ ...topicFields, ...wishes })),
  }),
] as const;

const fact = union(...facts);

/** A connection is told of anew within this time: whatever is older than that is not needed to know what is. */
export const standingMs = 12 * 3_600_000;

/** What happened to a connection that has authenticated. A later version may add fields and kinds. */
export type ConnectionFact = TypeOf<typeof fact>;
export type FactKind = ConnectionFact['kind'];
export type FactOf<K extends FactKind> = Extract<ConnectionFact, { readonly kind: K }>;

/** The names of the fields of each kind, without its `kind`. */
export const fieldsOfFacts: ReadonlyMap<string, readonly string[]> = new Map(
  facts.map(({ json }) => {
    const { kind, ...fields } = json['properties'] as Readonly<Record<string, { readonly const?: string }>>;
    return [String(kind?.const), Object.keys(fields)];
  }),
);

const batch = object({
  gateway: described('A new id with every start', text),
  number: described('Counts the batches of the gateway from 1', count),
  /** The first begins when the gateway began to take connections, each other where the one before ended. */
  from: time,
  upTo: time,
  facts: listOf(fact),
  /** Facts of this time were lost, so many. */
  gap: optional(object({ from: time, upTo: time, lost: count })),
  /** Jobs of this time were handed out and are not among the facts, so many: no other facts are missing for them. */
  handOutGap: optional(object({ from: time, upTo: time, lost: count })),
  /** With the facts of this batch every open connection of the gateway has been told since the gap. */
  isAccount: optional(flag),
  /** The gateway has closed, and its connections before it. */
  isLast: optional(flag),
});

/** All facts of a gateway in a time. */
export type FactBatch = TypeOf<typeof batch>;

export const factBatchRecord = versionedRecord('a batch of connection facts', 1, batch);

/**
 * Each batch until it is known to be stored, so that one may come twice. One partition: where a gateway's batch up to a time is read, so is the
 * first one of every gateway that took connections before.
 */
export const connectionFacts: Channel<FactBatch> = {
  name: 'connections',
  key: ({ gateway }) => gateway,
  codec: factBatchRecord.codec,
};

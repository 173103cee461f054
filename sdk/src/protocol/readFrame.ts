import { arrayOf, isMap, mapOf, optional, text, type Fields } from './fields.js';
import type {
  AuthAccepted,
  Feature,
  LobbyContents,
  PresenceChange,
  PresenceEntry,
  RestoredSubscription,
  ServerFrame,
} from './frames.js';
import { gapOf, keptOf, metaOf } from './readMessages.js';

type Reader<T extends ServerFrame['type']> = (fields: Fields) => Extract<ServerFrame, { type: T }>;

/**
 * Checks the fields that the client uses; undefined for a type that it does not know (a newer server may send some).
 * Throws for anything that is no frame.
 */
export const readFrame = (value: unknown): ServerFrame | undefined => {
  if (!isMap(value)) throw new TypeError('A frame must be a map');
  const type = text(value, 'type');
  return isKnown(type) ? readers[type](value) : undefined;
};

const readers: { readonly [T in ServerFrame['type']]: Reader<T> } = {
  auth: (fields) =>
    fields.success === true
      ? { type: 'auth', success: true, session: sessionOf(fields) }
      : { type: 'auth', success: false, error: text(fields, 'error') },
  reauth: (fields) => ({
    type: 'reauth',
    error: fields.success === true ? undefined : text(fields, 'error'),
    authExpiresAt: optional(fields, 'authExpiresAt', 'number'),
  }),
  tokenExpiring: (fields) => ({
    type: 'tokenExpiring',
    authExpiresAt: optional(fields, 'authExpiresAt', 'number'),
  }),
  subscriptionEnded: (fields) => ({
    type: 'subscriptionEnded',
    topic: text(fields, 'topic'),
    reason: text(fields, 'reason'),
  }),
  hydration: (fields) => ({ type: 'hydration', topic: text(fields, 'topic'), data: fields.data }),
  subscribed: (fields) => ({
    type: 'subscribed',
    topic: text(fields, 'topic'),
    position: optional(fields, 'position', 'string'),
    gap: gapOf(fields.gap),
  }),
  history: (fields) => ({
    type: 'history',
    topic: text(fields, 'topic'),
    ref: optional(fields, 'ref', 'string'),
    messages: arrayOf(fields.messages, 'messages').map(keptOf),
    next: optional(fields, 'next', 'string'),
    gap: gapOf(fields.gap),
  }),
  replayStart: (fields) => ({ type: 'replayStart', topic: optional(fields, 'topic', 'string') }),
  replayEnd: (fields) => ({ type: 'replayEnd', topic: optional(fields, 'topic', 'string') }),
  unsubscribed: (fields) => ({ type: 'unsubscribed', topic: text(fields, 'topic') }),
  filtersUpdated: (fields) => ({ type: 'filtersUpdated', topic: text(fields, 'topic') }),
  published: (fields) => ({
    type: 'published',
    msgRef: text(fields, 'msgRef'),
    duplicate: fields.duplicate === true,
    scheduledId: optional(fields, 'scheduledId', 'string'),
  }),
  message: (fields) => ({
    type: 'message',
    topic: text(fields, 'topic'),
    data: fields.data,
    msgId: optional(fields, 'msgId', 'string'),
    requiresAck: fields.requiresAck === true,
    isReplay: fields.isReplay === true,
    filter: optional(fields, 'filter', 'string'),
    meta: metaOf(fields.meta),
    delivery: optional(fields, 'delivery', 'number'),
  }),
  presence: (fields) => ({
    type: 'presence',
    roomId: optional(fields, 'roomId', 'string'),
    change: changeOf(fields),
  }),
  presenceList: (fields) => ({
    type: 'presenceList',
    roomId: optional(fields, 'roomId', 'string'),
    data: entriesOf(fields.data),
  }),
  presenceCount: (fields) => ({
    type: 'presenceCount',
    roomId: text(fields, 'roomId'),
    present: optional(fields, 'present', 'number') ?? 0,
  }),
  lobbySubscribed: (fields) => ({ type: 'lobbySubscribed', ...snapshotOf(fields) }),
  lobbyPresenceList: (fields) => ({ type: 'lobbyPresenceList', ...snapshotOf(fields) }),
  lobbyUnsubscribed: (fields) => ({ type: 'lobbyUnsubscribed', lobbyId: text(fields, 'lobbyId') }),
  lobbyPresence: (fields) => ({
    type: 'lobbyPresence',
    event: eventOf(fields),
    lobbyId: text(fields, 'lobbyId'),
    roomId: text(fields, 'roomId'),
    actorId: text(fields, 'actorId'),
    data: mapOf(fields.data, 'data'),
  }),
  error: (fields) => ({
    type: 'error',
    error: text(fields, 'error'),
    code: optional(fields, 'code', 'number'),
    // Of what concerns a room and no topic, the room.
    topic: optional(fields, 'topic', 'string') ?? optional(fields, 'roomId', 'string'),
    hint: optional(fields, 'hint', 'string'),
    msgRef: optional(fields, 'msgRef', 'string'),
    maxSizeBytes: optional(fields, 'maxSizeBytes', 'number'),
    lobbyId: optional(fields, 'lobbyId', 'string'),
    ref: optional(fields, 'ref', 'string'),
  }),
};

const isKnown = (type: string): type is ServerFrame['type'] => Object.hasOwn(readers, type);

const sessionOf = (fields: Fields): AuthAccepted => {
  const authExpiresAt = optional(fields, 'authExpiresAt', 'number');
  return {
    actorTokenId: text(fields, 'actorTokenId'),
    projectId: text(fields, 'projectId'),
    actorType: text(fields, 'actorType'),
    protocolVersion: optional(fields, 'protocolVersion', 'number') ?? 1,
    restoredSubscriptions: restored(fields.restoredSubscriptions),
    features: featuresOf(fields.features),
    ...(authExpiresAt !== undefined && { authExpiresAt }),
  };
};

const restored = (value: unknown): RestoredSubscription[] => {
  if (value === undefined || value === null) return [];
  return arrayOf(value, 'restoredSubscriptions').map((entry) => {
    if (!isMap(entry)) throw new TypeError('A restored subscription must be a map');
    return {
      pattern: text(entry, 'pattern'),
      topic: text(entry, 'topic'),
      load_balance: entry.load_balance === true,
      load_balance_group: optional(entry, 'load_balance_group', 'string') ?? null,
      filters: Array.isArray(entry.filters) ? (entry.filters as RestoredSubscription['filters']) : [],
      meta: entry.meta === true,
      own: entry.own === true,
    };
  });
};

const featuresOf = (value: unknown): readonly Feature[] =>
  Array.isArray(value) ? value.filter((name): name is Feature => typeof name === 'string') : [];

/** Reads what frames say of presences; throws for anything else. */
export const changeOf = (fields: Fields): PresenceChange => {
  const event = eventOf(fields);
  const data = mapOf(fields.data, 'data');
  const actorTokenId = text(data, 'actor_token_id');
  return event === 'leave'
    ? { event, actorTokenId }
    : { event, actorTokenId, presence: mapOf(data.presence, 'presence') };
};

export const eventOf = (fields: Fields): PresenceChange['event'] => {
  const event = text(fields, 'event');
  if (event !== 'join' && event !== 'update' && event !== 'leave') throw new TypeError('No such event');
  return event;
};

export const entriesOf = (value: unknown): readonly PresenceEntry[] => arrayOf(value, 'data').map(entryOf);

const snapshotOf = (fields: Fields): { lobbyId: string; presence: LobbyContents } => ({
  lobbyId: text(fields, 'lobbyId'),
  presence: each(fields.presence, (actors) => each(actors, entryOf)),
});

const entryOf = (value: unknown): PresenceEntry => {
  const entry = mapOf(value, 'An entry');
  return {
    actorTokenId: text(entry, 'actorTokenId'),
    presence: mapOf(entry.presence, 'presence'),
    joinedAt: optional(entry, 'joinedAt', 'number') ?? 0,
  };
};

const each = <T>(value: unknown, read: (item: unknown) => T): Readonly<Record<string, T>> =>
  Object.fromEntries(Object.entries(mapOf(value, 'presence')).map(([key, item]) => [key, read(item)]));

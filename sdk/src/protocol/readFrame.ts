import { arrayOf, mapOf, optionalNumber, optionalText, text, type Fields } from './fields.js';
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

type Content<F> = F extends ServerFrame ? Omit<F, 'type'> : never;
type Reader<T extends ServerFrame['type']> = (fields: Fields) => Content<Extract<ServerFrame, { type: T }>>;

/**
 * Checks the fields that the client uses; undefined for a type that it does not know (a newer server may send some).
 * Throws for anything that is no frame.
 */
export const readFrame = (value: unknown): ServerFrame | undefined => {
  const fields = mapOf(value, 'A frame');
  const type = text(fields, 'type');
  return isKnown(type) ? ({ type, ...readers[type](fields) } as ServerFrame) : undefined;
};

const readers: { readonly [T in ServerFrame['type']]: Reader<T> } = {
  auth: (fields) =>
    fields.success === true
      ? { success: true, session: sessionOf(fields) }
      : { success: false, error: text(fields, 'error') },
  reauth: (fields) => ({
    error: fields.success === true ? undefined : text(fields, 'error'),
    authExpiresAt: optionalNumber(fields, 'authExpiresAt'),
  }),
  tokenExpiring: (fields) => ({
    authExpiresAt: optionalNumber(fields, 'authExpiresAt'),
  }),
  subscriptionEnded: (fields) => ({
    topic: text(fields, 'topic'),
    reason: text(fields, 'reason'),
  }),
  hydration: (fields) => ({ topic: text(fields, 'topic'), data: fields.data }),
  subscribed: (fields) => ({
    topic: text(fields, 'topic'),
    position: optionalText(fields, 'position'),
    gap: gapOf(fields.gap),
  }),
  history: (fields) => ({
    topic: text(fields, 'topic'),
    ref: optionalText(fields, 'ref'),
    messages: arrayOf(fields.messages, 'messages').map(keptOf),
    next: optionalText(fields, 'next'),
    gap: gapOf(fields.gap),
  }),
  replayStart: (fields) => ({ topic: optionalText(fields, 'topic') }),
  replayEnd: (fields) => ({ topic: optionalText(fields, 'topic') }),
  unsubscribed: (fields) => ({ topic: text(fields, 'topic') }),
  filtersUpdated: (fields) => ({ topic: text(fields, 'topic') }),
  published: (fields) => ({
    msgRef: text(fields, 'msgRef'),
    duplicate: fields.duplicate === true,
    scheduledId: optionalText(fields, 'scheduledId'),
  }),
  message: (fields) => ({
    topic: text(fields, 'topic'),
    data: fields.data,
    msgId: optionalText(fields, 'msgId'),
    requiresAck: fields.requiresAck === true,
    isReplay: fields.isReplay === true,
    filter: optionalText(fields, 'filter'),
    meta: metaOf(fields.meta),
    delivery: optionalNumber(fields, 'delivery'),
  }),
  presence: (fields) => ({
    roomId: optionalText(fields, 'roomId'),
    change: changeOf(fields),
  }),
  presenceList: (fields) => ({
    roomId: optionalText(fields, 'roomId'),
    data: entriesOf(fields.data),
  }),
  presenceCount: (fields) => ({
    roomId: text(fields, 'roomId'),
    present: optionalNumber(fields, 'present') ?? 0,
  }),
  lobbySubscribed: (fields) => snapshotOf(fields),
  lobbyPresenceList: (fields) => snapshotOf(fields),
  lobbyUnsubscribed: (fields) => ({ lobbyId: text(fields, 'lobbyId') }),
  lobbyPresence: (fields) => ({
    event: eventOf(fields),
    lobbyId: text(fields, 'lobbyId'),
    roomId: text(fields, 'roomId'),
    actorId: text(fields, 'actorId'),
    data: mapOf(fields.data, 'data'),
  }),
  error: (fields) => ({
    error: text(fields, 'error'),
    code: optionalNumber(fields, 'code'),
    // Of what concerns a room and no topic, the room.
    topic: optionalText(fields, 'topic') ?? optionalText(fields, 'roomId'),
    hint: optionalText(fields, 'hint'),
    msgRef: optionalText(fields, 'msgRef'),
    maxSizeBytes: optionalNumber(fields, 'maxSizeBytes'),
    lobbyId: optionalText(fields, 'lobbyId'),
    ref: optionalText(fields, 'ref'),
  }),
};

const isKnown = (type: string): type is ServerFrame['type'] => Object.hasOwn(readers, type);

const sessionOf = (fields: Fields): AuthAccepted => {
  const authExpiresAt = optionalNumber(fields, 'authExpiresAt');
  return {
    actorTokenId: text(fields, 'actorTokenId'),
    projectId: text(fields, 'projectId'),
    actorType: text(fields, 'actorType'),
    protocolVersion: optionalNumber(fields, 'protocolVersion') ?? 1,
    restoredSubscriptions: restored(fields.restoredSubscriptions),
    features: featuresOf(fields.features),
    ...(authExpiresAt !== undefined && { authExpiresAt }),
  };
};

const restored = (value: unknown): RestoredSubscription[] => {
  if (value === undefined || value === null) return [];
  return arrayOf(value, 'restoredSubscriptions').map((item) => {
    const entry = mapOf(item, 'A restored subscription');
    return {
      pattern: text(entry, 'pattern'),
      topic: text(entry, 'topic'),
      load_balance: entry.load_balance === true,
      load_balance_group: optionalText(entry, 'load_balance_group') ?? null,
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
    joinedAt: optionalNumber(entry, 'joinedAt') ?? 0,
  };
};

const each = <T>(value: unknown, read: (item: unknown) => T): Readonly<Record<string, T>> =>
  Object.fromEntries(Object.entries(mapOf(value, 'presence')).map(([key, item]) => [key, read(item)]));

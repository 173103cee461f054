import { isMap, mapOf, optional, text, type Fields } from './fields.js';
import type { RestoredSubscription, ServerFrame } from './frames.js';
import { changeOf, entriesOf, eventOf, snapshotOf } from './presenceFields.js';

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
      ? {
          type: 'auth',
          success: true,
          actorTokenId: text(fields, 'actorTokenId'),
          projectId: text(fields, 'projectId'),
          actorType: text(fields, 'actorType'),
          protocolVersion: optional(fields, 'protocolVersion', 'number') ?? 1,
          restoredSubscriptions: restored(fields.restoredSubscriptions),
        }
      : { type: 'auth', success: false, error: text(fields, 'error') },
  subscribed: (fields) => ({ type: 'subscribed', topic: text(fields, 'topic') }),
  unsubscribed: (fields) => ({ type: 'unsubscribed', topic: text(fields, 'topic') }),
  filtersUpdated: (fields) => ({ type: 'filtersUpdated', topic: text(fields, 'topic') }),
  published: (fields) => ({ type: 'published', msgRef: text(fields, 'msgRef') }),
  message: (fields) => ({
    type: 'message',
    topic: text(fields, 'topic'),
    data: fields.data,
    msgId: optional(fields, 'msgId', 'string'),
    requiresAck: fields.requiresAck === true,
    isReplay: fields.isReplay === true,
    filter: optional(fields, 'filter', 'string'),
  }),
  presence: (fields) => ({ type: 'presence', change: changeOf(fields) }),
  presenceList: (fields) => ({
    type: 'presenceList',
    roomId: optional(fields, 'roomId', 'string'),
    data: entriesOf(fields.data),
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
    topic: optional(fields, 'topic', 'string'),
    hint: optional(fields, 'hint', 'string'),
    msgRef: optional(fields, 'msgRef', 'string'),
    maxSizeBytes: optional(fields, 'maxSizeBytes', 'number'),
    lobbyId: optional(fields, 'lobbyId', 'string'),
  }),
};

const isKnown = (type: string): type is ServerFrame['type'] => Object.hasOwn(readers, type);

const restored = (value: unknown): RestoredSubscription[] => {
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value)) throw new TypeError('restoredSubscriptions must be an array');
  return value.map((entry: unknown) => {
    if (!isMap(entry)) throw new TypeError('A restored subscription must be a map');
    return {
      pattern: text(entry, 'pattern'),
      topic: text(entry, 'topic'),
      load_balance: entry.load_balance === true,
      load_balance_group: optional(entry, 'load_balance_group', 'string') ?? null,
      filters: Array.isArray(entry.filters) ? (entry.filters as RestoredSubscription['filters']) : [],
    };
  });
};

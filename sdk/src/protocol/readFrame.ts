import type { RestoredSubscription, ServerFrame } from './frames.js';

type Fields = Readonly<Record<string, unknown>>;
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
  error: (fields) => ({
    type: 'error',
    error: text(fields, 'error'),
    code: optional(fields, 'code', 'number'),
    topic: optional(fields, 'topic', 'string'),
    hint: optional(fields, 'hint', 'string'),
    msgRef: optional(fields, 'msgRef', 'string'),
    maxSizeBytes: optional(fields, 'maxSizeBytes', 'number'),
  }),
};

const isKnown = (type: string): type is ServerFrame['type'] => Object.hasOwn(readers, type);

const isMap = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const text = (fields: Fields, name: string): string => {
  const value = optional(fields, name, 'string');
  if (value === undefined) throw new TypeError(`${name} is missing`);
  return value;
};

interface Primitives {
  string: string;
  number: number;
}

/** `null` counts as absent. */
const optional = <K extends keyof Primitives>(
  fields: Fields,
  name: string,
  kind: K,
): Primitives[K] | undefined => {
  const value = fields[name] ?? undefined;
  if (value !== undefined && typeof value !== kind) throw new TypeError(`${name} must be a ${kind}`);
  return value as Primitives[K] | undefined;
};

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

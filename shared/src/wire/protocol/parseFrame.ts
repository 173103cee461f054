import type { Buffer } from 'node:buffer';
import type { FilterEntry } from './filterEntry.js';
import { maxGroupName } from './limits.js';
import type { ClientFrame, ClientFrameOf, ClientFrameType, LobbyFrame, Qos } from './clientFrames.js';
import { jsonFields, messagePackFields, type FrameFields } from './frameFields.js';
import { maxAckIds } from './limits.js';
import { shapeAt } from './messagePackShapes.js';

/** A frame that cannot be handled, and as much of it as the error about it names. */
export interface MalformedFrame {
  readonly type: 'malformed';
  readonly error: 'invalidFrame' | 'unknownType';
  readonly topic?: string;
  readonly msgRef?: string;
  readonly lobbyId?: string;
}

const nil = 0xc0;
const emptyMap = Uint8Array.of(0x80);

type FrameReader<T extends ClientFrameType> = (fields: FrameFields) => ClientFrameOf<T> | undefined;

/** One reader a frame type; undefined when a field is missing or of the wrong type. Unknown fields are ignored. */
const readers: { readonly [T in ClientFrameType]: FrameReader<T> } = {
  auth: (fields) => ({
    type: 'auth',
    token: optionalString(fields.read('token')),
    protocolVersion: numberOr(fields.read('protocolVersion'), 1),
    reconnect: fields.read('reconnect') === true,
    clientId: optionalString(fields.read('clientId')),
  }),

  reauth: (fields) => ({ type: 'reauth', token: optionalString(fields.read('token')) }),

  subscribe: (fields) => {
    const topic = fields.read('topic');
    const filters = fields.read('filters') ?? [];
    const loadBalance = fields.read('loadBalance') ?? false;
    const loadBalanceGroup = fields.read('loadBalanceGroup');
    if (typeof topic !== 'string' || !isFilterEntries(filters)) return undefined;
    if (typeof loadBalance !== 'boolean' || !isOptionalString(loadBalanceGroup)) return undefined;
    if ((loadBalanceGroup ?? '').length > maxGroupName) return undefined;
    const qos = qosOf(fields.read('qos'));
    return { type: 'subscribe', topic, qos, filters, loadBalance, loadBalanceGroup };
  },

  unsubscribe: (fields) => {
    const topic = fields.read('topic');
    return typeof topic === 'string' ? { type: 'unsubscribe', topic } : undefined;
  },

  setFilters: (fields) => {
    const topic = fields.read('topic');
    const filters = fields.read('filters');
    if (typeof topic !== 'string' || !isFilterEntries(filters)) return undefined;
    return { type: 'setFilters', topic, filters };
  },

  publish: (fields) => {
    const topic = fields.read('topic');
    const data = fields.raw('data');
    const retain = fields.read('retain') ?? false;
    const filter = fields.read('filter');
    const filters = fields.read('filters') ?? [];
    const msgRef = fields.read('msgRef');
    if (typeof topic !== 'string' || data === undefined || typeof retain !== 'boolean') return undefined;
    if (!isOptionalString(filter) || !isOptionalString(msgRef) || !isStrings(filters)) return undefined;
    return { type: 'publish', topic, data, qos: qosOf(fields.read('qos')), retain, filter, filters, msgRef };
  },

  ack: (fields) => {
    const msgId = fields.read('msgId');
    return typeof msgId === 'string' ? { type: 'ack', msgId } : undefined;
  },

  batchAck: (fields) => {
    const msgIds = fields.read('msgIds');
    return isStrings(msgIds) && msgIds.length <= maxAckIds ? { type: 'batchAck', msgIds } : undefined;
  },

  presence: (fields) => {
    const roomId = fields.read('roomId');
    const data = presenceOf(fields);
    if (!isOptionalString(roomId) || data === undefined) return undefined;
    return { type: 'presence', roomId, topic: roomId, data };
  },

  getPresence: (fields) => {
    const roomId = fields.read('roomId');
    return isOptionalString(roomId) ? { type: 'getPresence', roomId, topic: roomId } : undefined;
  },

  lobbySubscribe: (fields) => lobbyFrame('lobbySubscribe', fields),
  lobbyUnsubscribe: (fields) => lobbyFrame('lobbyUnsubscribe', fields),
  getLobbyPresence: (fields) => lobbyFrame('getLobbyPresence', fields),
};

/** An absent presence is an empty one; undefined for what is no map. */
const presenceOf = (fields: FrameFields): Uint8Array | undefined => {
  const data = fields.raw('data');
  if (data === undefined || data[0] === nil) return emptyMap;
  return shapeAt(data, 0).kind === 'map' ? data : undefined;
};

const lobbyFrame = <T extends string>(type: T, fields: FrameFields): LobbyFrame<T> | undefined => {
  const lobbyId = fields.read('lobbyId');
  return typeof lobbyId === 'string' ? { type, lobbyId } : undefined;
};

/** Every byte that a client can send ends up as one of these; nothing throws. An empty frame is a heartbeat or malformed. */
export const parseFrame = (bytes: Buffer, isText: boolean): ClientFrame | MalformedFrame => {
  const fields = isText ? jsonFields(bytes) : messagePackFields(bytes);
  if (fields === undefined) return { type: 'malformed', error: 'invalidFrame' };
  if (!fields.isSound) return malformed('invalidFrame', fields);
  const type = fields.read('type');
  if (typeof type !== 'string') return malformed('invalidFrame', fields);
  if (!Object.hasOwn(readers, type)) return malformed('unknownType', fields);
  return readers[type as ClientFrameType](fields) ?? malformed('invalidFrame', fields);
};

/** A client that waits for the answer to its `msgRef` gets it also when the rest of the frame was wrong. */
const malformed = (error: MalformedFrame['error'], fields: FrameFields): MalformedFrame => {
  const topic = fields.read('topic');
  const msgRef = fields.read('msgRef');
  const lobbyId = fields.read('lobbyId');
  return {
    type: 'malformed',
    error,
    ...(typeof topic === 'string' && { topic }),
    ...(typeof msgRef === 'string' && { msgRef }),
    ...(typeof lobbyId === 'string' && { lobbyId }),
  };
};

/** Anything but 0, 1 and 2 is 1. */
const qosOf = (value: unknown): Qos => (value === 0 || value === 2 ? value : 1);

const numberOr = (value: unknown, fallback: number): number => (typeof value === 'number' ? value : fallback);

const optionalString = (value: unknown): string | undefined =>
  typeof value === 'string' ? value : undefined;

const isOptionalString = (value: unknown): value is string | undefined =>
  value === undefined || typeof value === 'string';

const isStrings = (value: unknown): value is string[] =>
  Array.isArray(value) && value.every((item) => typeof item === 'string');

const isFilterEntries = (value: unknown): value is FilterEntry[] =>
  Array.isArray(value) && value.every((entry) => typeof entry === 'string' || isStrings(entry));

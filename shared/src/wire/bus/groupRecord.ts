import { Encoder, decode } from '@msgpack/msgpack';
import type { FilterEntry } from '../protocol/messageOptions.js';
import { liveMessages, type LiveMessage } from './liveMessage.js';
import { isCount, isMap, isText } from './recordCodec.js';

/** A subscription that is a member of a worker group. */
export interface GroupMember {
  /** Unique on its gateway, which never uses a number twice. */
  readonly number: number;
  readonly actorTokenId: string;
  /** Undefined for every message. */
  readonly filters: readonly FilterEntry[] | undefined;
  /** Its client acknowledges messages; until then a message stays open. */
  readonly acks: boolean;
  /** Its session outlives its connection, and so does the group. */
  readonly isPersistent: boolean;
}

/** A member as all gateways know it. */
export interface KnownMember extends GroupMember {
  readonly gatewayId: string;
  /** The number of the group's assignment with which it got its last message. */
  readonly turn: number;
}

export type MemberKey = readonly [gatewayId: string, number: number];

/** An open message, and the member that it is assigned to. */
export type HeldMessage = readonly [message: LiveMessage, assignee: MemberKey | null];

/** Identifies a record: the number that its sender gave it. */
export type RecordKey = readonly [gatewayId: string, ref: number];

interface FromGateway {
  /** Internal. */
  readonly room: string;
  /** Internal. */
  readonly topic: string;
  readonly group: string;
  readonly gatewayId: string;
  /** Rises with each record of the sender for this group. */
  readonly ref: number;
}

/**
 * A command in the log of a worker group. Gateways with members append them to the channel of the room's messages, under the
 * same key, so that all gateways read commands and messages in one order. docs/WORKER_GROUPS.md has the whole protocol.
 */
export type GroupRecord = FromGateway &
  (
    | {
        readonly kind: 'join';
        /** New members, or known ones with other filters. */
        readonly members: readonly GroupMember[];
        /** What the sender needs: a snapshot (`state`), nothing, or it bootstraps the group (`founds`): it knows of no gateway with the state. */
        readonly needs: 'state' | 'nothing' | 'founds';
      }
    /** Their connections have ended, or they have unsubscribed (`quit`). */
    | { readonly kind: 'leave'; readonly members: readonly number[]; readonly quit: boolean }
    /** The backlog has been replayed: live messages may be assigned. */
    | { readonly kind: 'woken'; readonly collects: boolean }
    /** In effect for messages that are open and unassigned, and members that are present. */
    | { readonly kind: 'assign'; readonly assignments: readonly (readonly [id: string, ...MemberKey])[] }
    | { readonly kind: 'done'; readonly ids: readonly string[] }
    /** The gateway is dead: its members up to this number are removed. */
    | { readonly kind: 'gone'; readonly gone: string; readonly upTo: number }
    /** Open messages that the other gateways may not have. */
    | { readonly kind: 'messages'; readonly messages: readonly LiveMessage[] }
    /** No effect: when its sender reads it, it has read everything before it. */
    | { readonly kind: 'check' }
    /** A part of a snapshot: the state right after a record, for a gateway that has read everything since. */
    | {
        readonly kind: 'state';
        readonly to: string;
        readonly after: RecordKey;
        readonly part: number;
        readonly parts: number;
        /** In the first part only. */
        readonly members: readonly KnownMember[];
        /** Gateways that wait for a snapshot. In the first part only. */
        readonly awaiting: readonly string[];
        readonly isWaking: boolean;
        readonly collects: boolean;
        /** The messages that the group has seen: all from before `floorMs`, and later ones by id. */
        readonly floorMs: number;
        readonly passed: readonly string[];
        readonly held: readonly HeldMessage[];
      }
  );

/** A record without what its sender adds to it. */
export type GroupCommand = Unsigned<GroupRecord>;

type Unsigned<T> = T extends unknown ? Omit<T, keyof FromGateway> : never;

export type GroupRecordOf<K extends GroupRecord['kind']> = Extract<GroupRecord, { kind: K }>;

const mark = 'group';
const version = 1;

const encoder = new Encoder({ ignoreUndefined: true });

const packed = (message: LiveMessage): Uint8Array => liveMessages.codec.encode(message);
const unpacked = (bytes: Uint8Array): LiveMessage => liveMessages.codec.decode(bytes);

/** On the wire a message within a record is encoded like a record of its own. */
const wireOf = (record: GroupRecord): unknown => {
  if (record.kind === 'messages') return { ...record, messages: record.messages.map(packed) };
  if (record.kind !== 'state') return record;
  return { ...record, held: record.held.map(([message, assignee]) => [packed(message), assignee]) };
};

export const encodeGroupRecord = (record: GroupRecord): Uint8Array =>
  encoder.encode([mark, version, wireOf(record)]);

type Fields = Readonly<Record<string, unknown>>;
type Check = (value: unknown) => boolean;

const isFlag: Check = (value) => typeof value === 'boolean';
const isBytes: Check = (value) => value instanceof Uint8Array;
const listOf =
  (isSound: Check): Check =>
  (value) =>
    Array.isArray(value) && value.every(isSound);
const tupleOf =
  (...parts: readonly Check[]): Check =>
  (value) =>
    Array.isArray(value) && value.length === parts.length && parts.every((isSound, at) => isSound(value[at]));

const isKey = tupleOf(isText, isCount);
const isFilter: Check = (value) => isText(value) || listOf(isText)(value);
const isMember: Check = (value) =>
  isMap(value) &&
  isCount(value['number']) &&
  isText(value['actorTokenId']) &&
  isFlag(value['acks']) &&
  isFlag(value['isPersistent']) &&
  (value['filters'] === undefined || listOf(isFilter)(value['filters']));
const isKnownMember: Check = (value) =>
  isMember(value) && isMap(value) && isText(value['gatewayId']) && isCount(value['turn']);
const isHeld = tupleOf(isBytes, (assignee) => assignee === null || isKey(assignee));

/** The fields of each kind. */
const hasSoundFields: { readonly [K in GroupRecord['kind']]: (fields: Fields) => boolean } = {
  join: ({ members, needs }) =>
    listOf(isMember)(members) && ['state', 'nothing', 'founds'].includes(needs as string),
  leave: ({ members, quit }) => listOf(isCount)(members) && isFlag(quit),
  woken: ({ collects }) => isFlag(collects),
  assign: ({ assignments }) => listOf(tupleOf(isText, isText, isCount))(assignments),
  done: ({ ids }) => listOf(isText)(ids),
  gone: ({ gone, upTo }) => isText(gone) && isCount(upTo),
  messages: ({ messages }) => listOf(isBytes)(messages),
  check: () => true,
  state: ({ to, after, part, parts, members, awaiting, held, isWaking, collects, floorMs, passed }) =>
    isText(to) &&
    isFlag(isWaking) &&
    isFlag(collects) &&
    isCount(floorMs) &&
    listOf(isText)(passed) &&
    isKey(after) &&
    isCount(part) &&
    isCount(parts) &&
    listOf(isKnownMember)(members) &&
    listOf(isText)(awaiting) &&
    listOf(isHeld)(held),
};

const isGroupRecord = (fields: unknown): fields is Fields & { readonly kind: GroupRecord['kind'] } =>
  isMap(fields) &&
  [fields['room'], fields['topic'], fields['group'], fields['gatewayId'], fields['kind']].every(isText) &&
  isCount(fields['ref']) &&
  Object.hasOwn(hasSoundFields, fields['kind'] as string) &&
  hasSoundFields[fields['kind'] as GroupRecord['kind']](fields);

/** Undefined for bytes that are not a group's record; throws for a record of another version. */
export const decodeGroupRecord = (bytes: Uint8Array): GroupRecord | undefined => {
  const decoded = decode(bytes);
  if (!Array.isArray(decoded) || decoded[0] !== mark) return undefined;
  const [, of, record] = decoded as unknown[];
  if (of !== version || !isGroupRecord(record))
    throw new Error('Not a record of a worker group of a known version');
  if (record.kind === 'messages') {
    return {
      ...record,
      messages: (record['messages'] as Uint8Array[]).map(unpacked),
    } as unknown as GroupRecord;
  }
  if (record.kind !== 'state') return record as unknown as GroupRecord;
  const held = (record['held'] as [Uint8Array, MemberKey | null][]).map(([message, assignee]) => [
    unpacked(message),
    assignee,
  ]);
  return { ...record, held } as unknown as GroupRecord;
};

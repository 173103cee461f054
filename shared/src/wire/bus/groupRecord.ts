import { Encoder, decode } from '@msgpack/msgpack';
import { filterEntry } from '../protocol/messageOptions.js';
import {
  bytes,
  constant,
  count,
  described,
  flag,
  integer,
  listOf,
  object,
  oneOf,
  optional,
  orNull,
  text,
  tuple,
  union,
  type ObjectOf,
  type Schema,
  type TypeOf,
} from '../schema.js';
import { liveMessages, type LiveMessage } from './liveMessage.js';

const memberFields = {
  /** Unique on its gateway, which never uses a number twice. */
  number: described('Names it on its gateway', count),
  actorTokenId: text,
  filters: optional(described('Missing for every message', listOf(filterEntry))),
  /** Its client acknowledges messages; until then a message stays open. */
  acks: flag,
  /** Its session outlives its connection, and so does the group. */
  isPersistent: flag,
  own: optional(described('Its connection, where it gets what its actor publishes by others', text)),
};
const member = object(memberFields);
const knownMember = object({
  ...memberFields,
  gatewayId: text,
  /** The number of the group's assignment with which it got its last message. */
  turn: count,
});
const memberKey = tuple(described('A gateway', text), described('The number of a member', count));
/** Identifies a record: its gateway, and the number that the gateway gave it. */
const recordKey = tuple(text, count);

/** A message within a record is encoded like a record of its own. */
const packedMessage = described('A message, as it stands on this topic', bytes);
const held = tuple(packedMessage, orNull(memberKey));

/** A subscription that is a member of a worker group. */
export type GroupMember = TypeOf<typeof member>;
/** The replicated state of a member. */
export type KnownMember = TypeOf<typeof knownMember>;
/** An open message, and the member that it is assigned to. */
export type HeldMessage = Unpacked<TypeOf<typeof held>>;

const sender = {
  /** Internal. */
  room: text,
  /** Internal. */
  topic: text,
  group: text,
  gatewayId: text,
  /** Increases with each record of the sender for this group. */
  ref: count,
};

/** The fields of each kind of record. */
const kinds = {
  join: {
    /** New members, or known ones with other filters. */
    members: listOf(member),
    /** What the sender needs: a snapshot (`state`), nothing, or it bootstraps the group (`founds`): it knows of no gateway with the state. */
    needs: oneOf('state', 'nothing', 'founds'),
  },
  /** Their connections have ended, or they have unsubscribed (`quit`). */
  leave: { members: listOf(count), quit: flag },
  /** The backlog has been replayed: live messages may be assigned. */
  woken: { collects: flag },
  /** In effect for messages that are open and unassigned, and members that are present. */
  assign: { assignments: listOf(tuple(described('The id of a message', text), text, count)) },
  done: { ids: listOf(text) },
  /** The gateway is dead: its members up to this number are removed. */
  gone: { gone: described('A gateway', text), upTo: count },
  /** Open messages that the other gateways may not have. */
  messages: { messages: listOf(packedMessage) },
  /** No effect on the state: a sender that reads it back has read everything before it. */
  check: {},
  /** A part of a snapshot: the state right after a record, for a gateway that has read everything since. */
  state: {
    to: described('A gateway', text),
    after: recordKey,
    part: count,
    parts: count,
    /** In the first part only. */
    members: listOf(knownMember),
    /** Gateways that wait for a snapshot. In the first part only. */
    awaiting: listOf(text),
    isWaking: flag,
    collects: flag,
    /** The messages that the group has seen: all from before `floorMs`, and later ones by id. */
    floorMs: described('Unix milliseconds', integer),
    passed: listOf(text),
    held: listOf(held),
  },
};
type Kind = keyof typeof kinds;

/** The decoded form of a record, with its messages unpacked. */
type Unpacked<T> = T extends Uint8Array
  ? LiveMessage
  : T extends readonly unknown[]
    ? { readonly [I in keyof T]: Unpacked<T[I]> }
    : T;

type FromGateway = ObjectOf<typeof sender>;
type FieldsOf<K extends Kind> = ObjectOf<(typeof kinds)[K]>;

export type GroupRecordOf<K extends Kind> = K extends Kind
  ? FromGateway & { readonly kind: K } & { readonly [F in keyof FieldsOf<K>]: Unpacked<FieldsOf<K>[F]> }
  : never;

/**
 * A command in the log of a worker group. Gateways with members append them to the channel of the room's messages, under the
 * same key, so that all gateways read commands and messages in one order. docs/WORKER_GROUPS.md has the whole protocol.
 */
export type GroupRecord = GroupRecordOf<Kind>;

/** A record without the fields that its sender adds. */
export type GroupCommand = Unsigned<GroupRecord>;

type Unsigned<T> = T extends unknown ? Omit<T, keyof FromGateway> : never;

const mark = 'group';
const version = 1;

const encoder = new Encoder({ ignoreUndefined: true });

type PackedRecordOf<K extends Kind> = FromGateway & { readonly kind: K } & FieldsOf<K>;
type PackedRecord = { [K in Kind]: PackedRecordOf<K> }[Kind];

const schemas = new Map(
  Object.entries(kinds).map(([kind, fields]) => [
    kind,
    object({ kind: constant(kind), ...sender, ...fields }) as Schema<unknown>,
  ]),
);
const isPackedRecord = (value: unknown): value is PackedRecord =>
  schemas.get((value as Partial<PackedRecord> | null)?.kind ?? '')?.is(value) ?? false;

export const groupRecordSchema = tuple(constant(mark), constant(version), union(...schemas.values()));

const packed = (message: LiveMessage): Uint8Array => liveMessages.codec.encode(message);
const unpacked = (bytes: Uint8Array): LiveMessage => liveMessages.codec.decode(bytes);

const packedRecord = (record: GroupRecord): PackedRecord => {
  if (record.kind === 'messages') return { ...record, messages: record.messages.map(packed) };
  if (record.kind !== 'state') return record;
  return { ...record, held: record.held.map(([message, assignee]) => [packed(message), assignee]) };
};

export const encodeGroupRecord = (record: GroupRecord): Uint8Array =>
  encoder.encode([mark, version, packedRecord(record)]);

/** Undefined for bytes that are not a group's record; throws for a record of another version. */
export const decodeGroupRecord = (bytes: Uint8Array): GroupRecord | undefined => {
  const decoded = decode(bytes);
  if (!Array.isArray(decoded) || decoded[0] !== mark) return undefined;
  const [, of, record] = decoded as unknown[];
  if (of !== version || !isPackedRecord(record))
    throw new Error('Not a record of a worker group of a known version');
  if (record.kind === 'messages') return { ...record, messages: record.messages.map(unpacked) };
  if (record.kind !== 'state') return record;
  return { ...record, held: record.held.map(([message, assignee]) => [unpacked(message), assignee]) };
};

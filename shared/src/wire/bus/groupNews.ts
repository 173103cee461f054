import { Encoder, decode } from '@msgpack/msgpack';
import type { FilterEntry } from '../protocol/filterEntry.js';
import { liveMessages, type LiveMessage } from './liveMessage.js';
import { isCount, isMap, isText } from './recordChecks.js';

/** A subscription that takes its turn in a worker group. */
export interface GroupMember {
  /** Names it on its gateway, which gives each number once. */
  readonly number: number;
  readonly actorTokenId: string;
  /** Undefined for every message. */
  readonly filters: readonly FilterEntry[] | undefined;
  /** Its client acknowledges what it gets, and until then a message is not done. */
  readonly acks: boolean;
  /** Its session outlasts its connection, and so does the group. */
  readonly isPersistent: boolean;
}

/** A member as all gateways know it. */
export interface KnownMember extends GroupMember {
  readonly gatewayId: string;
  /** When it got its last message, in assignments of the group. */
  readonly turn: number;
}

/** Which member of which gateway. */
export type MemberKey = readonly [gatewayId: string, number: number];

/** A message that is not done, and who has it. */
export type HeldMessage = readonly [message: LiveMessage, assignee: MemberKey | null];

/** Which record: its sender's number for it. */
export type RecordKey = readonly [gatewayId: string, ref: number];

interface FromGateway {
  /** Internal. */
  readonly room: string;
  /** Internal. */
  readonly topic: string;
  readonly group: string;
  /** The sender. */
  readonly gatewayId: string;
  /** Rises with each record of the sender. */
  readonly ref: number;
}

/** What the gateways with members of a worker group tell one another, among the messages of the room and in one order with them. */
export type GroupNews = FromGateway &
  (
    | {
        readonly kind: 'join';
        /** New ones, or known ones with other filters. */
        readonly members: readonly GroupMember[];
        /** What the sender needs: the others' state, nothing, or `founds` when it knows of nobody who has a state. */
        readonly needs: 'state' | 'nothing' | 'founds';
      }
    /** Their connections have ended, or they `quit`. */
    | { readonly kind: 'leave'; readonly members: readonly number[]; readonly quit: boolean }
    /** What was recorded while nobody was there has been given out. */
    | { readonly kind: 'woken'; readonly collects: boolean }
    /** Holds where the message is nobody's and the member is there. */
    | { readonly kind: 'assign'; readonly assignments: readonly (readonly [id: string, ...MemberKey])[] }
    | { readonly kind: 'done'; readonly ids: readonly string[] }
    /** The gateway is dead: its members up to this number are out. */
    | { readonly kind: 'gone'; readonly gone: string; readonly upTo: number }
    /** Messages that others may not have. */
    | { readonly kind: 'messages'; readonly messages: readonly LiveMessage[] }
    /** Asks for nothing: when it comes back, everything before it has been read. */
    | { readonly kind: 'check' }
    /** A part of the state as it was right after a record, for a gateway that has read everything since. */
    | {
        readonly kind: 'state';
        readonly to: string;
        readonly after: RecordKey;
        readonly part: number;
        readonly parts: number;
        /** All of them, in the first part. */
        readonly members: readonly KnownMember[];
        /** Gateways that wait for a state. In the first part. */
        readonly awaiting: readonly string[];
        readonly isWaking: boolean;
        readonly collects: boolean;
        /** What has come to the group: the time up to which it is everything, and the ids of what was made later. */
        readonly floorMs: number;
        readonly passed: readonly string[];
        readonly held: readonly HeldMessage[];
      }
  );

export type GroupNewsOf<K extends GroupNews['kind']> = Extract<GroupNews, { kind: K }>;

const mark = 'group';
const version = 1;

const encoder = new Encoder({ ignoreUndefined: true });

const packed = (message: LiveMessage): Uint8Array => liveMessages.codec.encode(message);
const unpacked = (bytes: Uint8Array): LiveMessage => liveMessages.codec.decode(bytes);

/** On the wire a message within a record is its own record, as bytes. */
const wireOf = (news: GroupNews): unknown => {
  if (news.kind === 'messages') return { ...news, messages: news.messages.map(packed) };
  if (news.kind !== 'state') return news;
  return { ...news, held: news.held.map(([message, assignee]) => [packed(message), assignee]) };
};

export const encodeGroupNews = (news: GroupNews): Uint8Array => encoder.encode([mark, version, wireOf(news)]);

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

/** What each kind has besides the sender. */
const isSound: { readonly [K in GroupNews['kind']]: (fields: Fields) => boolean } = {
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

const isNews = (fields: unknown): fields is Fields & { readonly kind: GroupNews['kind'] } =>
  isMap(fields) &&
  [fields['room'], fields['topic'], fields['group'], fields['gatewayId'], fields['kind']].every(isText) &&
  isCount(fields['ref']) &&
  Object.hasOwn(isSound, fields['kind'] as string) &&
  isSound[fields['kind'] as GroupNews['kind']](fields);

/** Undefined for what is no news of a group; throws for news of another version. */
export const decodeGroupNews = (bytes: Uint8Array): GroupNews | undefined => {
  const record = decode(bytes);
  if (!Array.isArray(record) || record[0] !== mark) return undefined;
  const [, of, news] = record as unknown[];
  if (of !== version || !isNews(news)) throw new Error('Not news of a worker group of a known version');
  if (news.kind === 'messages') {
    return { ...news, messages: (news['messages'] as Uint8Array[]).map(unpacked) } as unknown as GroupNews;
  }
  if (news.kind !== 'state') return news as unknown as GroupNews;
  const held = (news['held'] as [Uint8Array, MemberKey | null][]).map(([message, assignee]) => [
    unpacked(message),
    assignee,
  ]);
  return { ...news, held } as unknown as GroupNews;
};

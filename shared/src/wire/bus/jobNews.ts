import { filterEntries } from '../protocol/messageOptions.js';
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
  text,
  textOrNull,
  tuple,
  union,
  type TypeOf,
} from '../schema.js';
import type { Channel } from './channel.js';
import { versionedRecord } from './recordCodec.js';

const options = object({ prefetch: integer, ackSeconds: integer, maxDeliveries: integer });

/** What a member asks for. */
const wishes = {
  filters: optional(described('Missing for every job', filterEntries)),
  own: optional(described('Its connection, where it gets what its actor publishes by others', text)),
  options,
};

/** A second copy of a record has the same. */
const sent = optional(
  described(
    'The process that has sent it, and how many it has sent to this address with it',
    tuple(text, count),
  ),
);

const toShard = {
  sent,
  to: described('`shard-<number>`, read by the owner of the shard', text),
  /** A gateway, or a process that asks for its REST API. */
  from: text,
  /** An owner passes over what was sent to an earlier one. */
  term: described('Of the owner that the sender knows', count),
};

const toProcess = {
  sent,
  to: described('`process-<id>`', text),
  shard: count,
  term: described('Of the owner that has sent it', count),
};

/** Of the sender; unique on it. */
const member = described('The number of a member', count);
const seq = described('The number of a job in its group', count);

const news = union(
  /** The sender owns these shards, in these terms. */
  object({
    kind: constant('owner'),
    sent,
    to: constant('all'),
    from: text,
    shards: listOf(tuple(described('A shard', count), described('The term', count))),
  }),
  /** Owners are to say so once more. */
  object({ kind: constant('who'), sent, to: constant('all'), from: text }),
  object({
    kind: constant('join'),
    ...toShard,
    member,
    projectId: text,
    appId: text,
    roomId: text,
    accessScopeId: textOrNull,
    room: described('Internal, as `topic`', text),
    topic: text,
    group: text,
    actorTokenId: text,
    ...wishes,
    /** It has them from an earlier owner. */
    held: listOf(seq),
    /** It has acknowledged them a moment ago; the earlier owner may have lost that. */
    settled: listOf(seq),
    givenBack: optional(
      described(
        'Given back a moment ago, which the earlier owner may have lost: of which delivery, and for how long',
        listOf(object({ seq, delivery: count, delayMs: count })),
      ),
    ),
  }),
  /** All members of the sender in the shard have joined. */
  object({ kind: constant('here'), ...toShard }),
  object({ kind: constant('ask'), ...toShard, member, ref: count, ...wishes }),
  /** Its client can have jobs. */
  object({ kind: constant('ready'), ...toShard, member }),
  object({ kind: constant('leave'), ...toShard, member }),
  object({ kind: constant('settle'), ...toShard, groupId: text, seqs: listOf(seq) }),
  object({ kind: constant('giveBack'), ...toShard, member, seq, delayMs: count }),
  object({ kind: constant('progress'), ...toShard, member, seq }),
  object({
    kind: constant('request'),
    ...toShard,
    ref: count,
    operation: oneOf('create', 'list', 'get', 'peek', 'delete', 'redrive', 'has'),
    values: described('MessagePack', bytes),
  }),
  object({
    kind: constant('joined'),
    ...toProcess,
    member,
    groupId: optional(described('Missing where it may not join: the members have no jobs', text)),
  }),
  object({ kind: constant('asked'), ...toProcess, ref: count }),
  /** Jobs of one member: their numbers, how often they were handed out, and their messages as they stand on `messages`. */
  object({
    kind: constant('jobs'),
    ...toProcess,
    member,
    jobs: listOf(tuple(seq, count, bytes)),
    storedMs: optional(
      described('What the owner of the group had taken so many milliseconds before is stored', count),
    ),
  }),
  /** The process was taken for dead: these members have to join again. */
  object({ kind: constant('dropped'), ...toProcess, members: listOf(member) }),
  /** The group has been deleted. */
  object({ kind: constant('ended'), ...toProcess, member }),
  object({
    kind: constant('answer'),
    ...toProcess,
    ref: count,
    isDone: flag,
    values: described('MessagePack', bytes),
  }),
);

/** What gateways say to the owners of worker groups with jobs, and these to them. */
export type JobNews = TypeOf<typeof news>;
export type JobNewsOf<K extends JobNews['kind']> = Extract<JobNews, { readonly kind: K }>;

/** What is sent to the owner of a shard. */
export type JobCommand = Extract<JobNews, { readonly from: string; readonly term: number }>;

export const jobNewsRecord = versionedRecord('news of jobs', 1, news);

/** Read by every gateway. */
export const everyProcess = 'all';
const shardPrefix = 'shard-';
export const shardKey = (shard: number): string => `${shardPrefix}${shard}`;
export const shardOfKey = (key: string): number => Number(key.slice(shardPrefix.length));
export const processKey = (id: string): string => `process-${id}`;

export const jobNews: Channel<JobNews> = {
  name: 'jobs',
  key: ({ to }) => to,
  codec: jobNewsRecord.codec,
};

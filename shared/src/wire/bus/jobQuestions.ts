import {
  bytes,
  constant,
  count,
  described,
  flag,
  integer,
  listOf,
  object,
  optional,
  orNull,
  text,
  textOrNull,
  union,
  type TypeOf,
} from '../schema.js';
import { roomField } from './recordCodec.js';

const options = object({ prefetch: count, ackSeconds: count, maxDeliveries: count });

const ofRoom = { projectId: text, roomId: text };
const ofGroup = { ...ofRoom, groupId: text };

/** What is asked about worker groups with jobs: their owner answers, to whichever gateway is asked. */
export const jobQuestion = union(
  object({
    kind: constant('createGroup'),
    ...{
      ...ofRoom,
      appId: text,
      accessScopeId: textOrNull,
      room: roomField,
      topic: text,
      name: text,
      options,
    },
  }),
  object({ kind: constant('listGroups'), ...ofRoom, after: optional(text) }),
  object({ kind: constant('getGroup'), ...ofGroup }),
  object({ kind: constant('peekGroup'), ...ofGroup, limit: count }),
  object({ kind: constant('deleteGroup'), ...ofGroup }),
);

export type JobQuestion = TypeOf<typeof jobQuestion>;

const time = described('Unix milliseconds', integer);

const group = object({
  ...{ groupId: text, topic: text, name: text, accessScopeId: textOrNull, options },
  ...{ depth: count, inFlight: count, oldestAt: orNull(time), members: count, createdAt: time },
});

const job = object({
  ...{ msgId: text, from: textOrNull, at: time, deliveries: count, filters: listOf(text) },
  body: described('The complete message, MessagePack', bytes),
});

export const jobAnswer = union(
  object({
    kind: constant('createGroup'),
    created: described(
      'Null where the group has members without jobs',
      orNull(object({ group, isNew: flag })),
    ),
  }),
  object({ kind: constant('listGroups'), groups: listOf(group), isLast: flag }),
  object({ kind: constant('getGroup'), group: optional(group) }),
  object({ kind: constant('peekGroup'), jobs: optional(listOf(job)) }),
  object({ kind: constant('deleteGroup'), isDeleted: flag }),
);

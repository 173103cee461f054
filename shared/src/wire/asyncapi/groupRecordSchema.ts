import type { GroupRecord } from '../bus/groupRecord.js';
import { filterEntry } from './filterSchemas.js';
import {
  bytes,
  constant,
  count,
  described,
  flag,
  list,
  object,
  oneOf,
  orNull,
  text,
  tuple,
  type JsonSchema,
} from './jsonSchema.js';

const member = {
  number: described('Names it on its gateway', count),
  actorTokenId: text,
  filters: described('Missing for every message', list(filterEntry)),
  acks: flag,
  isPersistent: flag,
};
const memberKey = tuple([described('A gateway', text), described('The number of a member', count)]);
const liveMessage = bytes('A message, as it stands on this topic');

const kinds: { readonly [K in GroupRecord['kind']]: Readonly<Record<string, JsonSchema>> } = {
  join: { members: list(object(member, ['filters'])), needs: oneOf('state', 'nothing', 'founds') },
  leave: { members: list(count), quit: flag },
  woken: { collects: flag },
  assign: { assignments: list(tuple([described('The id of a message', text), text, count])) },
  done: { ids: list(text) },
  gone: { gone: described('A gateway', text), upTo: count },
  messages: { messages: list(liveMessage) },
  check: {},
  state: {
    to: described('A gateway', text),
    after: tuple([text, count]),
    part: count,
    parts: count,
    members: list(object({ ...member, gatewayId: text, turn: count }, ['filters'])),
    awaiting: list(text),
    isWaking: flag,
    collects: flag,
    floorMs: described('Unix milliseconds', { type: 'number' }),
    passed: list(text),
    held: list(tuple([liveMessage, orNull(memberKey)])),
  },
};

/** A command in the log of a worker group. */
export const groupRecordSchema: JsonSchema = tuple([
  constant('group'),
  constant(1),
  {
    oneOf: Object.entries(kinds).map(([kind, fields]) =>
      object({
        kind: constant(kind),
        room: text,
        topic: text,
        group: text,
        gatewayId: text,
        ref: count,
        ...fields,
      }),
    ),
  },
]);

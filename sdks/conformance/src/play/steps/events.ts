import type { AdapterEvent } from '../../adapter/protocol.js';
import { type Fields, isFields, without } from '../../scenario/match.js';
import { clientOf, withinOf } from '../stage.js';
import { asError, assertLike, save } from './expectations.js';
import { roomIn } from './requests.js';
import type { StepKind, StepKinds } from './step.js';

/** What a subscription tells in one order. */
const kindsInOrder: readonly string[] = ['message', 'gap', 'ended'];

/**
 * What a subscription gets next, in this order: `data` alone, or whole events, which are messages unless they say otherwise. Nothing else may
 * come between.
 */
const messages: StepKind = {
  required: ['client', 'sub'],
  optional: ['data', 'are', 'save', 'within'],
  async run(stage, fields) {
    const { inbox } = clientOf(stage, fields);
    const isNext = ({ event, sub }: AdapterEvent): boolean =>
      kindsInOrder.includes(event) && sub === fields['sub'];
    const taken: AdapterEvent[] = [];
    for (const one of expectedOf(fields)) {
      const what = `${JSON.stringify(one)}, behind ${taken.length} others`;
      taken.push(await inbox.take(isNext, withinOf(fields), what));
      assertLike(one, taken.at(-1), `Message ${taken.length}`);
    }
    save(stage, fields['save'], taken);
  },
};

const expectedOf = ({ data, are }: Fields): readonly Fields[] => {
  if (Array.isArray(data)) return data.map((one: unknown) => ({ event: 'message', data: one }));
  if (!Array.isArray(are)) throw new TypeError('Messages are expected as `data` or as `are`');
  return are.map((one: unknown) => ({ event: 'message', ...(isFields(one) ? one : {}) }));
};

/** The next event of its kind, and of its subscription if it names one, is so. */
const event: StepKind = {
  required: ['client', 'event'],
  optional: [
    ...['sub', 'kind', 'data', 'actorTokenId', 'presence', 'roomId', 'room', 'reason', 'after', 'before'],
    ...['error', 'authExpiresAt', 'present', 'save', 'within'],
  ],
  async run(stage, fields) {
    const { error, room, save: names } = fields;
    const expected = {
      ...without(fields, 'client', 'save', 'within', 'error', 'room'),
      ...(error === undefined ? {} : { error: asError(error) }),
      ...(room === undefined ? {} : { room: roomIn(stage, room) }),
    };
    const isNext = (one: AdapterEvent): boolean =>
      one.event === fields['event'] && (fields['sub'] === undefined || one['sub'] === fields['sub']);
    const what = JSON.stringify(expected);
    const taken = await clientOf(stage, fields).inbox.take(isNext, withinOf(fields), what);
    assertLike(expected, taken, 'The event');
    save(stage, names, taken);
  },
};

export const eventSteps: StepKinds = { messages, event };

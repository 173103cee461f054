import { type Fields, textOf, without } from '../../scenario/match.js';
import { clientOf, type Stage } from '../stage.js';
import { eventually, inTime, outcomeFields, settle } from './expectations.js';
import type { StepKind, StepKinds } from './step.js';

/** Fields that are for the kit and not for the adapter. */
const kitFields: readonly string[] = [...outcomeFields, 'later'];

/** `lobby/lines` is the topic of a room in the app of the scenario. */
export const addressIn = (stage: Stage, topic: unknown): string => {
  const text = String(topic);
  return text.split('/').length === 2 ? String(stage.variables.fill(`{{app}}/${text}`)) : text;
};

/** A room of the app of the scenario: other scenarios of the project have rooms of the same slug. */
export const roomIn = (stage: Stage, room: unknown): string =>
  String(room).includes('/') ? String(room) : String(stage.variables.fill(`{{app}}/${String(room)}`));

const forAdapter = (stage: Stage, fields: Fields): Fields & { readonly client: string } => {
  const rest = without(fields, ...kitFields);
  const topic = rest['topic'] === undefined ? {} : { topic: addressIn(stage, rest['topic']) };
  const room = rest['room'] === undefined ? {} : { room: roomIn(stage, rest['room']) };
  // A subscription is named like its topic, unless the step says otherwise.
  return { sub: fields['topic'], ...rest, ...topic, ...room, client: clientOf(stage, fields).name };
};

/** A step that is a request to the adapter. With `later` it is not waited for, see the step `settles`. */
const request = (what: string, required: readonly string[], optional: readonly string[] = []): StepKind => ({
  required: ['client', ...required],
  optional: [...optional, ...kitFields],
  async run(stage, fields) {
    const ask = () => stage.conversation.request(what, forAdapter(stage, fields));
    if (fields['later'] !== undefined) return void stage.later.set(textOf(fields['later']), ask());
    if (fields['eventually'] !== true) return settle(stage, fields, await inTime(ask(), fields));
    await eventually(fields, async () => settle(stage, fields, await inTime(ask(), fields)));
  },
});

const settles: StepKind = {
  required: ['request'],
  optional: kitFields,
  async run(stage, fields) {
    const outcome = stage.later.get(String(fields['request']));
    if (outcome === undefined) throw new Error(`There is no request ${String(fields['request'])}`);
    settle(stage, fields, await inTime(outcome, fields));
  },
};

export const requestSteps: StepKinds = {
  ready: request('ready', []),
  features: request('features', []),
  subscribe: request('subscribe', ['topic'], ['sub', 'options']),
  unsubscribe: request('unsubscribe', ['sub']),
  setFilters: request('setFilters', ['topic', 'filters']),
  position: request('position', ['sub']),
  publish: request('publish', ['topic', 'data'], ['options']),
  history: request('history', ['topic'], ['options']),
  ack: request('ack', ['sub', 'n']),
  nack: request('nack', ['sub', 'n'], ['delaySeconds']),
  progress: request('progress', ['sub', 'n']),
  finish: request('finish', ['sub', 'n']),
  enter: request('enter', ['room'], ['presence', 'options']),
  leave: request('leave', ['room']),
  presence: request('presence', ['room']),
  count: request('count', ['sub', 'room']),
  track: request('track', ['room']),
  members: request('members', ['room']),
  lobby: request('lobby', ['sub', 'lobby']),
  lobbyPresence: request('lobbyPresence', ['lobby']),
  close: request('close', []),
  settles,
};

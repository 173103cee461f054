import type { RecordedConnection } from '@roomwire/shared/ports/connectionRecord';
import type { FilterEntry } from '@roomwire/shared/wire/protocol/messageOptions';
import { ruleTexts } from '../explain/explain.js';
import type { Access } from './actorOutcome.js';
import type { NotFoundReason } from './findMessages.js';
import type { UnknownReason, Verdict } from './outcome.js';
import type { TracedMessage } from './tracedMessage.js';

const timeText = (at: number): string => new Date(at).toISOString();

const notFoundTexts: { readonly [R in NotFoundReason]: string } = {
  no_topic:
    'There is no such topic, or no longer: the address may be mistyped, or the app, the room or the topic was removed or renamed.',
  no_history:
    'The topic keeps no history, so nothing is known of its messages. `at` says what would have become of one at a time.',
  not_found:
    'The history of the topic has no such message: it was refused when it was published, waits until it is due, has expired or was deleted, or its id is another one.',
  search_limit:
    'It is not among the newest messages of the topic, and further back nobody looked: ask by its position.',
};

export const notFoundText = (reason: NotFoundReason): string => notFoundTexts[reason];

const unknownTexts: { readonly [R in UnknownReason]: string } = {
  gap: 'Some of what happened to connections at that time is not on record.',
  not_recorded: 'Connections of that time are not on record, or no longer.',
  not_yet: 'A gateway has not told yet what happened at that time. Ask again in a moment.',
  too_close:
    'Something changed within moments of the message, and it cannot be told which of them was first.',
  group_not_recorded:
    'It was a member of a worker group without jobs, each message of which goes to one of the members; which one is not on record.',
  filters_not_recorded: 'It was subscribed with filters that are too long for the record.',
  not_handed_out:
    'It was a member of a worker group with jobs, and nothing on record says to whom this one was handed out: it may still wait until one of them has room, or have become a dead letter.',
  any_member: 'It was a member of a worker group, each message of which goes to one of the members.',
  replay_interrupted: 'The message was in a replay, and it is not on record how much of that was written.',
  too_many_facts: 'More happened to the connection than is looked at for one answer.',
  too_many_connections:
    'The actor had more connections in the room than are looked at for one answer, and none of those looked at got the message.',
};

const filterText = (filters: readonly FilterEntry[]): string =>
  filters.map((entry) => (typeof entry === 'string' ? entry : `(${entry.join(' and ')})`)).join(' or ');

const ways = {
  live: 'It was subscribed, and the message was written to its socket.',
  replay: 'The message was written to its socket in a replay of the history.',
  job: 'The job was handed out to it: the message was written to its socket.',
};

/** What became of the message for one connection, or would have. */
export const verdictText = (verdict: Verdict, message: TracedMessage, access: Access | undefined): string => {
  switch (verdict.outcome) {
    case 'delivered':
      return message.isHypothetical
        ? 'It was subscribed: a message would have been written to its socket.'
        : ways[verdict.how];
    case 'unknown':
      return unknownTexts[verdict.reason];
    case 'slow_consumer':
      return `It read too slowly, and was closed for that: of what it was to get since ${timeText(verdict.since)}, the last ${verdict.bytes} bytes were not written to its socket, and this is part of it.`;
    case 'own':
      return verdict.wasSameConnection
        ? 'The message was published on this very connection, and nothing of that comes back.'
        : 'The actor published the message itself, and the subscription did not ask for its own (`own`).';
    case 'other_member':
      return `It was a member of the worker group "${verdict.group}", and the job was handed out to another one.`;
    case 'filtered':
      return `It was subscribed with the filters ${filterText(verdict.filters)}; ${carriedText(message)}.`;
    case 'denied':
      return `${deniedText(verdict.rule, access)}.`;
    case 'not_subscribed':
      return 'It was connected, and not subscribed to the topic.';
    case 'not_connected':
      return 'It was not connected.';
  }
};

const carriedText = ({ filters, isHypothetical }: TracedMessage): string => {
  if (isHypothetical) return 'a message would have had to match one of them';
  return filters.length === 0 ? 'the message has none' : `the message has only ${filters.join(', ')}`;
};

const traceRuleTexts: Readonly<Record<string, string>> = {
  ...ruleTexts,
  other_scope: 'The actor was not in the scope of the message',
  capability: 'The client token left the topic out',
};

const deniedText = (rule: string | undefined, access: Access | undefined): string => {
  const text = traceRuleTexts[access && !access.isAllowed ? access.rule : (rule ?? '')];
  return text ?? `Its subscription had been ended (${rule})`;
};

/** Of an actor. */
export const actorText = (
  verdict: Verdict,
  message: TracedMessage,
  { access, last }: { readonly access: Access | undefined; readonly last: RecordedConnection | undefined },
): string => {
  if (verdict.outcome !== 'not_connected') return verdictText(verdict, message, access);
  const { closed } = last ?? {};
  const before =
    closed && closed.at <= message.at
      ? ` Its last connection had ended at ${timeText(closed.at)} (${[closed.code, closed.reason].filter(Boolean).join(' ')}).`
      : '';
  const rights =
    access && !access.isAllowed
      ? ` It would not have been let in, either: ${traceRuleTexts[access.rule] ?? access.rule}.`
      : '';
  return `The actor was not connected.${before}${rights}`;
};

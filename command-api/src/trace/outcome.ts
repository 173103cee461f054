import type { RecordedConnection, RecordedFact } from '@roomwire/shared/ports/connectionRecord';
import type { FactOf } from '@roomwire/shared/wire/bus/connectionFacts';
import type { FilterEntry } from '@roomwire/shared/wire/protocol/messageOptions';
import { hadEndedUnseen, mayHaveEnded, stateAfter, type ConnectionState } from './connectionState.js';
import { clockSkewMs, orderedFacts, type OrderedFacts } from './factOrder.js';
import { afterWaiting, replayWith } from './replays.js';
import type { TracedMessage } from './tracedMessage.js';
import { leftOut, type Wishes } from './wishes.js';

/** What became of a message for a connection, or an actor: what is further in front says more about it. */
export const outcomes = [
  'delivered',
  'unknown',
  'slow_consumer',
  'own',
  'other_member',
  'filtered',
  'denied',
  'not_subscribed',
  'not_connected',
] as const;
export type Outcome = (typeof outcomes)[number];

/** Why nobody knows. */
export const unknownReasons = [
  'gap',
  'not_recorded',
  'not_yet',
  'too_close',
  'group_not_recorded',
  'filters_not_recorded',
  'not_handed_out',
  'any_member',
  'replay_interrupted',
  'too_many_facts',
  'too_many_connections',
] as const;
export type UnknownReason = (typeof unknownReasons)[number];

interface Because {
  /** The facts that it rests on. */
  readonly facts: readonly RecordedFact[];
}

export type Verdict = Because &
  (
    | { readonly outcome: 'delivered'; readonly how: 'live' | 'replay' | 'job' }
    | { readonly outcome: 'unknown'; readonly reason: UnknownReason }
    | { readonly outcome: 'slow_consumer'; readonly since: number; readonly bytes: number }
    | { readonly outcome: 'own'; readonly wasSameConnection: boolean }
    | { readonly outcome: 'other_member'; readonly group: string }
    | { readonly outcome: 'filtered'; readonly filters: readonly FilterEntry[] }
    /** `rule`: as the gateway gave it, where it ended a subscription. */
    | { readonly outcome: 'denied'; readonly rule: string | undefined }
    | { readonly outcome: 'not_subscribed' }
    | { readonly outcome: 'not_connected' }
  );

export interface ConnectionCase {
  readonly message: TracedMessage;
  readonly connection: RecordedConnection;
  /** Of the connection, in their order. */
  readonly facts: readonly RecordedFact[];
  /** Of the job of the message, to any connection. */
  readonly handOuts: readonly RecordedFact[];
  /** Why facts of its gateway may be missing from around the message; undefined where none is. */
  readonly missing: UnknownReason | undefined;
}

/** What became of a message for one connection. */
export const judgeConnection = (asked: ConnectionCase): Verdict => {
  const { message, connection, facts, missing } = asked;
  const handedOut = handedTo(asked);
  if (handedOut.length > 0) return { outcome: 'delivered', how: 'job', facts: handedOut };
  const replay = replayVerdict(asked);
  if (replay !== undefined) return replay;
  if (missing !== undefined) return { outcome: 'unknown', reason: missing, facts: [] };
  const { at } = message;
  if (mayHaveEnded(connection, at - clockSkewMs, at + clockSkewMs))
    return { outcome: 'unknown', reason: 'gap', facts: facts.slice(-1) };
  if (hadEndedUnseen(connection, at)) return { outcome: 'not_connected', facts: facts.slice(-1) };
  return liveVerdict(asked, orderedFacts(facts, message));
};

/** The same whichever of the facts that are about as old as the message were before it, or unknown. */
const liveVerdict = (asked: ConnectionCase, ordered: OrderedFacts): Verdict => {
  const { message, facts } = asked;
  const verdicts: Verdict[] = [];
  for (let count = ordered.atLeast; count <= ordered.atMost; count += 1) {
    const state = stateAfter(facts, count, message.topic);
    verdicts.push(verdictIn(state, asked, facts.slice(count)));
  }
  const [first, ...others] = verdicts as [Verdict, ...Verdict[]];
  if (others.every((other) => isSame(first, other))) return first;
  if (verdicts.every(({ outcome }) => withoutSubscription.has(outcome)))
    return byClocks(verdicts, ordered, message);
  return { outcome: 'unknown', reason: 'too_close', facts: facts.slice(ordered.atLeast, ordered.atMost) };
};

/** Without a subscription on either side, clocks are good enough. */
const byClocks = (
  verdicts: readonly Verdict[],
  { facts, atLeast }: OrderedFacts,
  { at }: TracedMessage,
): Verdict => {
  const before = facts.filter(({ fact }) => fact.at <= at).length;
  const index = Math.min(verdicts.length - 1, Math.max(0, before - atLeast));
  return verdicts[index] as Verdict;
};

const withoutSubscription: ReadonlySet<Outcome> = new Set<Outcome>([
  'not_connected',
  'not_subscribed',
  'denied',
]);

const isSame = (one: Verdict, other: Verdict): boolean =>
  one.outcome === other.outcome && reasonOf(one) === reasonOf(other);

const reasonOf = (verdict: Verdict): string | undefined =>
  verdict.outcome === 'unknown' ? verdict.reason : undefined;

/** `later`: the facts behind the state. */
const verdictIn = (
  { isOpen, subscription, ended, by }: ConnectionState,
  asked: ConnectionCase,
  later: readonly RecordedFact[],
): Verdict => {
  const facts = by === undefined ? [] : [by];
  const { message } = asked;
  if (!isOpen) return { outcome: 'not_connected', facts };
  if (subscription === undefined) {
    const isRevoked = ended !== undefined && !otherEnds.has(ended.reason);
    return isRevoked
      ? { outcome: 'denied', rule: ended.rule ?? ended.reason, facts }
      : { outcome: 'not_subscribed', facts };
  }
  const left = leftOut(subscription, message, asked.connection);
  if (left !== undefined) return { ...left, facts };
  if (subscription.group !== undefined) return memberVerdict(subscription.group, subscription, asked, facts);
  if (subscription.replays === true) {
    const { became, facts: next } = afterWaiting(subscription, message, later);
    if (became === 'unknown')
      return { outcome: 'unknown', reason: 'replay_interrupted', facts: [...facts, ...next] };
    if (became === 'not for it') return { outcome: 'not_subscribed', facts: [...facts, ...next] };
  }
  return slownessOf(later, message, facts) ?? { outcome: 'delivered', how: 'live', facts };
};

/** Of a message that was published before; undefined where no replay had it. */
const replayVerdict = ({ facts, message, connection }: ConnectionCase): Verdict | undefined => {
  const found = replayWith(facts, message, connection);
  if (found === undefined) return undefined;
  return found.isSent
    ? { outcome: 'delivered', how: 'replay', facts: [found.replayed] }
    : { outcome: 'unknown', reason: 'too_close', facts: [found.replayed] };
};

/** Ends of subscriptions that have nothing to do with rights. */
const otherEnds: ReadonlySet<string> = new Set([
  ...['client', 'closed', 'group_deleted', 'continuity_lost', 'unavailable', 'scope_changed'],
]);

/** [WS-GROUP-2] Of a member for which the message was eligible. */
const memberVerdict = (
  group: string,
  { jobs }: Wishes,
  { message, handOuts }: ConnectionCase,
  facts: readonly RecordedFact[],
): Verdict => {
  if (message.isHypothetical) return { outcome: 'unknown', reason: 'any_member', facts };
  if (jobs !== true) return { outcome: 'unknown', reason: 'group_not_recorded', facts };
  const toOthers = handOuts.filter(({ fact }) => isHandOut(fact, message) && fact.group === group);
  if (toOthers.length === 0) return { outcome: 'unknown', reason: 'not_handed_out', facts };
  return { outcome: 'other_member', group, facts: [...facts, ...toOthers] };
};

const isHandOut = (fact: RecordedFact['fact'], { topic }: TracedMessage): fact is FactOf<'handedOut'> =>
  fact.kind === 'handedOut' && fact.topic === topic;

const handedTo = ({ message, connection, handOuts }: ConnectionCase): readonly RecordedFact[] =>
  handOuts.filter(({ fact }) => isHandOut(fact, message) && fact.connection === connection.connectionId);

/** Whether the message was among what a connection had not read when it was found to be too slow. */
const slownessOf = (
  later: readonly RecordedFact[],
  { at }: TracedMessage,
  facts: readonly RecordedFact[],
): Verdict | undefined => {
  for (const recorded of later) {
    const { fact } = recorded;
    if (fact.kind !== 'slow' || fact.since > at + clockSkewMs) continue;
    const found = [...facts, recorded];
    if (fact.since > at) return { outcome: 'unknown', reason: 'too_close', facts: found };
    return { outcome: 'slow_consumer', since: fact.since, bytes: fact.bytes, facts: found };
  }
  return undefined;
};

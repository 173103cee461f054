import type { RecordedConnection } from '@roomwire/shared/ports/connectionRecord';
import type { RecordedEvent } from '@roomwire/shared/domain/eventEnvelope';
import type { ExplainedRule } from '../explain/explain.js';
import { outcomes, type UnknownReason, type Verdict } from './outcome.js';

/** The rules of explanations, and what only a connection can say. */
export type TraceRule = ExplainedRule | 'other_scope' | 'capability';

/** Whether the actor might have subscribed when the message came. */
export interface Access {
  readonly isAllowed: boolean;
  readonly rule: string;
  /** The last change of the record that was decisive; undefined where there is none. */
  readonly event: RecordedEvent | undefined;
}

export interface JudgedConnection {
  readonly connection: RecordedConnection;
  readonly verdict: Verdict;
}

export interface ActorVerdict {
  readonly verdict: Verdict;
  /** The best first. */
  readonly connections: readonly JudgedConnection[];
  /** Undefined where nobody asked. */
  readonly access: Access | undefined;
}

/** With one of these nobody can be connected: it is the rights that are missing, and not the connection. */
const rulesOfConnecting: ReadonlySet<string> = new Set<TraceRule>([
  ...(['actor_missing', 'actor_disabled', 'actor_expired', 'project_missing'] as const),
  ...(['organization_suspended', 'scope_inactive', 'other_scope'] as const),
]);

/** Whether what is known of the rights says more than the verdict. */
export const dependsOnAccess = ({ outcome }: Verdict): boolean =>
  outcome === 'not_subscribed' || outcome === 'not_connected' || outcome === 'denied';

const judgedByAccess = (verdict: Verdict, { isAllowed, rule }: Access): Verdict => {
  if (isAllowed || !dependsOnAccess(verdict)) return verdict;
  if (verdict.outcome === 'not_connected' && !rulesOfConnecting.has(rule)) return verdict;
  return { outcome: 'denied', rule, facts: verdict.facts };
};

interface ActorCase {
  /** Those that may have been open, each judged; the newest first. */
  readonly judged: readonly JudgedConnection[];
  /** Of an actor without any: that of the last one before. */
  readonly without: Verdict;
  readonly access: Access | undefined;
  /** Why connections may be missing; undefined where none is. */
  readonly missing: UnknownReason | undefined;
}

/** What became of a message for an actor: the best that became of it for one of its connections. */
export const judgeActor = ({ judged, without, access, missing }: ActorCase): ActorVerdict => {
  const rated = (verdict: Verdict): Verdict =>
    access === undefined ? verdict : judgedByAccess(verdict, access);
  const connections = judged
    .map(({ connection, verdict }) => ({ connection, verdict: rated(verdict) }))
    .sort((one, other) => rankOf(one.verdict) - rankOf(other.verdict));
  const verdict = connections[0]?.verdict ?? rated(without);
  const isSure = verdict.outcome === 'delivered' || missing === undefined;
  return {
    verdict: isSure ? verdict : { outcome: 'unknown', reason: missing, facts: [] },
    connections,
    access,
  };
};

const rankOf = ({ outcome }: Verdict): number => outcomes.indexOf(outcome);

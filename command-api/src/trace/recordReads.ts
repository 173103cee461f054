import { setTimeout as pause } from 'node:timers/promises';
import {
  knowsGateway,
  type ConnectionRecord,
  type RecordCoverage,
  type RecordedConnection,
  type RecordedFact,
  type TimeSpan,
} from '@roomwire/shared/ports/connectionRecord';
import { namesExternalActor } from '@roomwire/shared/domain/tokenRevocation';
import type { Clock } from '@roomwire/shared/ports/clock';
import { limitTable } from '@roomwire/shared/wire/limits/limitTable';
import { actorKeyIdPattern } from '../http/request.js';
import { clockSkewMs } from './factOrder.js';
import type { UnknownReason } from './outcome.js';
import type { TracedMessage } from './tracedMessage.js';

export type ReadRecord = Pick<ConnectionRecord, 'find' | 'get' | 'timeline' | 'handOuts' | 'coverage'>;

const mostConnections = limitTable.traceConnections.value;
const mostFacts = limitTable.traceFacts.value;
const atOnce = 500;
const patienceMs = 5_000;
const betweenLooksMs = 200;

/** The time in which facts may lie that decide about a message. */
export const spanAround = ({ at }: Pick<TracedMessage, 'at'>): TimeSpan => ({
  from: at - clockSkewMs,
  to: at + clockSkewMs,
});

/** What is known of a time. What gateways have not told yet is waited for, for a while. */
export const coverageOf = async (
  record: ReadRecord,
  span: TimeSpan,
  clock: Clock,
): Promise<RecordCoverage> => {
  const patience = span.to > clock.now() + clockSkewMs ? 0 : patienceMs;
  const until = clock.monotonic() + patience;
  for (;;) {
    const coverage = await record.coverage(span);
    const isWorthWaiting = coverage.gateways.some((life) => missingOf(life, span) === 'not_yet');
    if (!isWorthWaiting || clock.monotonic() >= until) return coverage;
    await pause(betweenLooksMs);
  }
};

/** Why facts of a gateway, by default of any, may be missing; undefined where none is. */
export const missingFrom = (
  { knownFrom, gateways }: RecordCoverage,
  span: TimeSpan,
  gateway?: string,
): UnknownReason | undefined => {
  // Nobody took connections, or nobody wrote down who did.
  if (span.from < knownFrom || gateways.length === 0) return 'not_recorded';
  const asked = gateways.filter((life) => gateway === undefined || life.gateway === gateway);
  const reasons = asked.map((life) => missingOf(life, span));
  return reasons.find((reason) => reason === 'gap') ?? reasons.find((reason) => reason !== undefined);
};

const missingOf = (life: RecordCoverage['gateways'][number], span: TimeSpan): UnknownReason | undefined => {
  if (knowsGateway(life, span)) return undefined;
  const isGap = life.end === 'lost' || life.gaps.some(({ from, to }) => from <= span.to && to >= span.from);
  return isGap ? 'gap' : 'not_yet';
};

/** Observers of the console are connected, and are no actors. */
export const isOfActor = ({ keyId }: Pick<RecordedConnection, 'keyId'>): boolean =>
  actorKeyIdPattern.test(keyId) || namesExternalActor(keyId);

export interface ActorOfProject {
  readonly organizationId: string;
  readonly projectId: string;
  readonly actorTokenId: string;
}

export interface FoundConnections {
  /** The newest first. */
  readonly connections: readonly RecordedConnection[];
  readonly hasMore: boolean;
  /** Whether there are others that may have got the message. */
  readonly mayMissSome: boolean;
}

/** Those that may have been open when the message came, and later ones that were in the room, which may have been sent it from its record. */
export const connectionsFor = async (
  record: ReadRecord,
  actor: ActorOfProject,
  room: string,
  message: TracedMessage,
  now: number,
): Promise<FoundConnections> => {
  const limit = mostConnections;
  const during = spanAround(message);
  const then = await record.find({ ...actor, during, limit });
  // Of very many, those decide that were in the room.
  const inRoom = then.next === undefined ? then : await record.find({ ...actor, room, during, limit });
  const since = { from: message.at, to: now };
  const later = message.isHypothetical
    ? undefined
    : await record.find({ ...actor, room, during: since, limit });
  const byId = new Map(
    [...(later?.connections ?? []), ...inRoom.connections, ...then.connections].map((each) => [
      each.connectionId,
      each,
    ]),
  );
  return {
    connections: [...byId.values()].sort((one, other) => other.connectedAt - one.connectedAt),
    hasMore: then.next !== undefined || later?.next !== undefined,
    mayMissSome: inRoom.next !== undefined || later?.next !== undefined,
  };
};

/** The last one that had ended before a message came. */
export const lastBefore = async (
  record: ReadRecord,
  actor: ActorOfProject,
  { at }: TracedMessage,
): Promise<RecordedConnection | undefined> =>
  (await record.find({ ...actor, during: { from: 0, to: at }, limit: 1 })).connections[0];

/** Undefined where there are more facts than are looked at. */
export const factsOf = async (
  record: ReadRecord,
  connectionId: string,
): Promise<readonly RecordedFact[] | undefined> => {
  const facts: RecordedFact[] = [];
  for (;;) {
    const page = await record.timeline({ connectionId, after: facts.at(-1)?.place, limit: atOnce });
    facts.push(...page);
    if (page.length < atOnce) return facts;
    if (facts.length >= mostFacts) return undefined;
  }
};

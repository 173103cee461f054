import type {
  RecordCoverage,
  RecordedConnection,
  RecordedFact,
} from '@roomwire/shared/ports/connectionRecord';
import type { Clock } from '@roomwire/shared/ports/clock';
import type { AuditDeps } from '../audit/auditReads.js';
import { pastRecords, readOnce, type PastRecords } from '../explain/pastRecords.js';
import { accessOf } from './access.js';
import { dependsOnAccess, judgeActor, type ActorVerdict, type JudgedConnection } from './actorOutcome.js';
import { judgeConnection, type Verdict } from './outcome.js';
import {
  connectionsFor,
  coverageOf,
  factsOf,
  lastBefore,
  missingFrom,
  spanAround,
  type ReadRecord,
} from './recordReads.js';
import type { TracedMessage } from './tracedMessage.js';
import type { TracedTopic } from './tracedTopic.js';

export interface TracingDeps extends AuditDeps {
  readonly record: ReadRecord;
  readonly clock: Clock;
}

export interface TracedActor extends ActorVerdict {
  readonly actorTokenId: string;
  /** The newest one that may have been open, or else the last one before. */
  readonly last: RecordedConnection | undefined;
  /** Of its connections some were not looked at. */
  readonly hasMore: boolean;
}

/** What is known of the time of a message, whomever one asks about. */
interface Circumstances {
  readonly coverage: RecordCoverage;
  /** Of its job, to any connection. */
  readonly handOuts: readonly RecordedFact[];
  /** The connections that it was handed out to. */
  readonly members: ReadonlyMap<string, RecordedConnection>;
}

/** What became of one message, for any actor that is asked about. */
export class MessageTrace {
  readonly message: TracedMessage;
  readonly members: Circumstances['members'];
  private readonly deps: TracingDeps;
  private readonly topic: TracedTopic;
  private readonly coverage: RecordCoverage;
  private readonly handOuts: readonly RecordedFact[];
  private readonly recordsAt = new Map<number, PastRecords>();

  private constructor(
    deps: TracingDeps,
    topic: TracedTopic,
    message: TracedMessage,
    { coverage, handOuts, members }: Circumstances,
  ) {
    this.deps = deps;
    this.topic = topic;
    this.message = message;
    this.coverage = coverage;
    this.handOuts = handOuts;
    this.members = members;
  }

  /** Waits for what gateways have not told of the time yet. */
  static async of(deps: TracingDeps, topic: TracedTopic, message: TracedMessage): Promise<MessageTrace> {
    const { record, clock } = deps;
    const { organizationId, projectId } = topic;
    const coverage = await coverageOf(record, spanAround(message), clock);
    const { messageId } = message;
    const handOuts = messageId === undefined ? [] : await record.handOuts(projectId, messageId);
    const members = new Map<string, RecordedConnection>();
    for (const id of new Set(handOuts.map(({ fact }) => fact.connection))) {
      const member = await record.get(organizationId, id);
      if (member) members.set(id, member);
    }
    return new MessageTrace(deps, topic, message, { coverage, handOuts, members });
  }

  async actor(actorTokenId: string): Promise<TracedActor> {
    const { record, clock } = this.deps;
    const { organizationId, projectId, place } = this.topic;
    const actor = { organizationId, projectId, actorTokenId };
    const { connections, hasMore, mayMissSome } = await connectionsFor(
      record,
      actor,
      place,
      this.message,
      clock.now(),
    );
    const judged: JudgedConnection[] = [];
    for (const connection of connections) {
      const verdict = await this.judge(connection);
      if (this.mayHaveBeenOpen(connection) || verdict.outcome === 'delivered')
        judged.push({ connection, verdict });
    }
    const last = judged[0]?.connection ?? (await lastBefore(record, actor, this.message));
    const without: Verdict = { outcome: 'not_connected', facts: await this.lastFactOf(last) };
    const newest = connections[0] ?? last;
    const verdicts = judged.length > 0 ? judged.map(({ verdict }) => verdict) : [without];
    const access = verdicts.some(dependsOnAccess)
      ? await this.access(actorTokenId, newest, verdicts)
      : undefined;
    const notSeen = mayMissSome ? 'too_many_connections' : undefined;
    const missing = missingFrom(this.coverage, spanAround(this.message)) ?? notSeen;
    return { actorTokenId, last, hasMore, ...judgeActor({ judged, without, access, missing }) };
  }

  private async judge(connection: RecordedConnection): Promise<Verdict> {
    const { message, handOuts } = this;
    const facts = await factsOf(this.deps.record, connection.connectionId);
    if (facts === undefined) return { outcome: 'unknown', reason: 'too_many_facts', facts: [] };
    const missing = missingFrom(this.coverage, spanAround(message), connection.gateway);
    return judgeConnection({ message, connection, facts, handOuts, missing });
  }

  private mayHaveBeenOpen({ connectedAt, closed }: RecordedConnection): boolean {
    const { from, to } = spanAround(this.message);
    return connectedAt <= to && (closed === null || closed.at >= from);
  }

  private async lastFactOf(connection: RecordedConnection | undefined): Promise<readonly RecordedFact[]> {
    if (connection === undefined) return [];
    return (await factsOf(this.deps.record, connection.connectionId))?.slice(-1) ?? [];
  }

  /** At the time of the message, or of what ended a subscription before it, by the clock of another process. */
  private access(
    actorTokenId: string,
    connection: RecordedConnection | undefined,
    verdicts: readonly Verdict[],
  ): ReturnType<typeof accessOf> {
    const ends = verdicts.flatMap(({ facts }) => facts.filter(({ fact }) => fact.kind === 'unsubscribed'));
    const time = Math.max(this.message.at, ...ends.map(({ fact }) => fact.at));
    return accessOf(this.records(time), this.topic, { actorTokenId, connection, time });
  }

  private records(time: number): PastRecords {
    const known =
      this.recordsAt.get(time) ?? readOnce(pastRecords(this.deps, this.topic.organizationId, time));
    this.recordsAt.set(time, known);
    return known;
  }
}

import type { RecordedConnection, RecordedFact } from '@roomwire/shared/ports/connectionRecord';
import type { Actor } from '@roomwire/shared/domain/actor';
import type { HistoryTopic } from '@roomwire/shared/ports/history';
import { maxPositionLength, positionOf, positionPattern } from '@roomwire/shared/wire/protocol/position';
import { limitTable } from '@roomwire/shared/wire/limits/limitTable';
import { changeSchema, presentChange } from '../audit/resource.js';
import { entrySchema, presentFact } from '../connections/resource.js';
import { exampleIds, exampleTime } from '../http/exampleValues.js';
import * as s from '../http/schema.js';
import type { JudgedConnection } from './actorOutcome.js';
import { placeIn } from './factOrder.js';
import { notFoundText, actorText, verdictText } from './sentences.js';
import { notFoundReasons, type NotFoundReason } from './findMessages.js';
import { outcomes, unknownReasons, type Verdict } from './outcome.js';
import type { TracedActor } from './trace.js';
import type { TracedMessage } from './tracedMessage.js';
import type { TracedTopic } from './tracedTopic.js';

export const mostActors = limitTable.traceActors.value;

export const traceQuerySchema = s.queryOf(
  {
    projectId: s.uuid,
    topic: s.text({ maxLength: 400, description: '`app-slug/room-slug/topic-name`' }),
    scope: s.text({
      maxLength: 200,
      description: 'An `accessScopeId` or the slug of a scope; without it the topic outside of every scope',
    }),
    messageId: s.text({
      ...{ minLength: 1, maxLength: 200 },
      description:
        '`meta.id`, what its publisher gave it, or `msgId`; of several messages with one id all are answered',
    }),
    position: s.text({
      ...{ minLength: 1, maxLength: maxPositionLength, pattern: positionPattern.source },
      description: 'The position of a message, instead of its id',
    }),
    at: s.described(s.time, 'Instead of a message: what would have become of one at that time'),
    actorId: s.text({
      maxLength: 300,
      description:
        '`actorTokenId`, the public `keyId`, or the subject `ext:…` of an external actor; without it all that were in the room',
    }),
    limit: s.number({ description: `Actors on a page; clamped to 1-${mostActors}`, default: mostActors }),
    cursor: s.text({ maxLength: 200, description: '`nextCursor` of the previous page' }),
  },
  ['projectId', 'topic'],
);

export type TraceQuery = s.ValueOf<typeof traceQuerySchema>;

const filtersSchema = s.listOf(s.either(s.text(), s.listOf(s.text())));

const evidenceSchema = s.titled(
  'TraceEvidence',
  s.strictObject(
    {
      connectionId: s.text(),
      fact: entrySchema,
      position: s.text({
        description: "Of the last message of the topic's room before it, where that is known",
      }),
    },
    ['connectionId', 'fact'],
  ),
);

const judgedFields = {
  outcome: s.oneOf(outcomes),
  reason: s.described(
    s.orNull(s.oneOf([...unknownReasons, ...notFoundReasons])),
    'Why it is `unknown`; null otherwise',
  ),
  explanation: s.text({ description: 'The same for people' }),
};

const connectionSchema = s.titledObject('TracedConnection', {
  connectionId: s.text(),
  gateway: s.text(),
  connectedAt: s.time,
  closedAt: s.orNull(s.time),
  closeCode: s.orNull(s.integer()),
  closeReason: s.orNull(s.text()),
  ...judgedFields,
  how: s.described(s.orNull(s.oneOf(['live', 'replay', 'job'])), 'How it was `delivered`; null otherwise'),
  evidence: s.listOf(evidenceSchema),
});

const memberSchema = s.titledObject('TracedMember', {
  connectionId: s.text(),
  actorTokenId: s.orNull(s.text()),
  at: s.time,
  delivery: s.described(s.count, 'Counted from 1'),
});

const actorSchema = s.titledObject('TracedActor', {
  actorTokenId: s.text(),
  keyId: s.orNull(s.text()),
  name: s.orNull(s.text()),
  ...judgedFields,
  filters: s.described(s.orNull(filtersSchema), 'By which it was `filtered`; null otherwise'),
  rule: s.described(s.orNull(s.text()), 'By which it was `denied`, as in `explain`; null otherwise'),
  event: s.described(s.eitherOrNull(changeSchema), 'The last change of what denied it'),
  members: s.described(s.listOf(memberSchema), 'To whom the job went, where it was `other_member`'),
  connections: s.described(
    s.listOf(connectionSchema),
    'That may have been open then; the best outcome first',
  ),
  hasMoreConnections: s.flag({ description: 'Whether there were others, which were not looked at' }),
});

const messageSchema = s.titledObject('TracedMessage', {
  id: s.orNull(s.text()),
  at: s.described(s.orNull(s.time), 'When it was accepted; null where that is not known'),
  position: s.orNull(s.text()),
  published: s.flag({ description: 'False for one that nobody published (`at`), or that was not found' }),
  actorTokenId: s.described(s.orNull(s.text()), 'Of its publisher; null for a backend, and for nobody'),
  filters: s.listOf(s.text()),
  reason: s.described(s.orNull(s.oneOf(notFoundReasons)), 'Why nothing is known of it; null otherwise'),
  explanation: s.described(s.orNull(s.text()), 'The same for people'),
  actors: s.listOf(actorSchema),
});

export const traceSchema = s.titledObject('Trace', {
  topic: s.text(),
  accessScopeId: s.orNull(s.uuid),
  messages: s.described(s.listOf(messageSchema), 'The newest first'),
  examined: s.described(s.count, 'Messages of the history that were looked at for the id'),
  hasMore: s.flag({ description: 'Whether older messages were not looked at' }),
  nextCursor: s.described(
    s.orNull(s.text()),
    'Null on the last page of actors. A page may have fewer actors than its limit.',
  ),
});

export type TraceAnswer = s.ValueOf<typeof traceSchema>;
type MessageAnswer = s.ValueOf<typeof messageSchema>;
type ActorAnswer = s.ValueOf<typeof actorSchema>;
type Evidence = s.ValueOf<typeof evidenceSchema>;

const timeText = (at: number): string => new Date(at).toISOString();

/** With whatever is known of an actor besides its id. */
export interface NamedActor extends TracedActor {
  readonly record: Pick<Actor, 'keyId' | 'name'> | undefined;
}

export const presentFound = (
  {
    message,
    members,
  }: { readonly message: TracedMessage; readonly members: ReadonlyMap<string, RecordedConnection> },
  topic: TracedTopic,
  actors: readonly NamedActor[],
): MessageAnswer => {
  const { id, at, place, publisher, filters, isHypothetical } = message;
  const ofTopic = topic.record?.topic;
  return {
    id: id ?? null,
    at: timeText(at),
    position: place && ofTopic ? positionOf(ofTopic, place) : null,
    published: !isHypothetical,
    actorTokenId: publisher === undefined || publisher === '' ? null : publisher,
    filters,
    ...{ reason: null, explanation: null },
    actors: actors.map((actor) => presentActor(actor, message, members, ofTopic)),
  };
};

export const presentMissing = (
  id: string | undefined,
  position: string | undefined,
  reason: NotFoundReason,
  actor: Pick<NamedActor, 'actorTokenId' | 'record'> | undefined,
): MessageAnswer => ({
  ...{
    id: id ?? null,
    at: null,
    position: position ?? null,
    published: false,
    actorTokenId: null,
    filters: [],
  },
  ...{ reason, explanation: notFoundText(reason) },
  actors:
    actor === undefined
      ? []
      : [
          {
            actorTokenId: actor.actorTokenId,
            ...namesOf(actor),
            ...{ outcome: 'unknown', reason, explanation: notFoundText(reason) },
            ...{
              filters: null,
              rule: null,
              event: null,
              members: [],
              connections: [],
              hasMoreConnections: false,
            },
          },
        ],
});

const namesOf = ({ record }: Pick<NamedActor, 'record'>): Pick<ActorAnswer, 'keyId' | 'name'> => ({
  keyId: record?.keyId ?? null,
  name: record?.name ?? null,
});

const presentActor = (
  actor: NamedActor,
  message: TracedMessage,
  members: ReadonlyMap<string, RecordedConnection>,
  topic: HistoryTopic | undefined,
): ActorAnswer => {
  const { actorTokenId, verdict, connections, access, last, hasMore } = actor;
  const isDenied = verdict.outcome === 'denied';
  return {
    actorTokenId,
    ...namesOf(actor),
    outcome: verdict.outcome,
    reason: reasonOf(verdict),
    explanation: actorText(verdict, message, { access, last }),
    filters: verdict.outcome === 'filtered' ? verdict.filters : null,
    rule: isDenied ? (verdict.rule ?? null) : null,
    event: isDenied && access?.event ? presentChange(access.event) : null,
    members: verdict.outcome === 'other_member' ? presentMembers(verdict.facts, members) : [],
    connections: connections.map((judged) => presentConnection(judged, message, actor, topic)),
    hasMoreConnections: hasMore,
  };
};

const reasonOf = (verdict: Verdict): ActorAnswer['reason'] =>
  verdict.outcome === 'unknown' ? verdict.reason : null;

const presentMembers = (
  facts: readonly RecordedFact[],
  members: ReadonlyMap<string, RecordedConnection>,
): ActorAnswer['members'] =>
  facts.flatMap(({ fact }) =>
    fact.kind !== 'handedOut'
      ? []
      : [
          {
            connectionId: fact.connection,
            actorTokenId: members.get(fact.connection)?.actorTokenId ?? null,
            at: timeText(fact.at),
            delivery: fact.delivery,
          },
        ],
  );

const presentConnection = (
  { connection, verdict }: JudgedConnection,
  message: TracedMessage,
  { access }: Pick<TracedActor, 'access'>,
  topic: HistoryTopic | undefined,
): ActorAnswer['connections'][number] => {
  const { connectionId, gateway, connectedAt, closed } = connection;
  return {
    ...{ connectionId, gateway, connectedAt: timeText(connectedAt) },
    closedAt: closed && timeText(closed.at),
    closeCode: closed?.code ?? null,
    closeReason: closed?.reason ?? null,
    outcome: verdict.outcome,
    reason: reasonOf(verdict),
    explanation: verdictText(verdict, message, access),
    how: verdict.outcome === 'delivered' ? verdict.how : null,
    evidence: verdict.facts.map((recorded) => presentEvidence(recorded, message, topic)),
  };
};

const presentEvidence = (
  recorded: RecordedFact,
  { room }: TracedMessage,
  topic: HistoryTopic | undefined,
): Evidence => {
  const place = placeIn(recorded.fact, room);
  const isPlaced = topic !== undefined && place?.epoch !== undefined && place.offset > 0;
  return {
    connectionId: recorded.fact.connection,
    fact: presentFact(recorded),
    ...(isPlaced && {
      position: positionOf(topic, { epoch: place.epoch, offset: place.offset - 1 }),
    }),
  };
};

const { connectionId } = exampleIds;

export const exampleTrace: TraceAnswer = {
  topic: 'support-desk/lobby/chat',
  accessScopeId: null,
  messages: [
    {
      id: 'order-7',
      at: exampleTime,
      position: '0ml1v2k9c-0000000001r-Yk3x_0dT9a',
      published: true,
      actorTokenId: null,
      filters: ['eu'],
      ...{ reason: null, explanation: null },
      actors: [
        {
          actorTokenId: exampleIds.actorTokenId,
          keyId: 'at_live_3f9c1e5a7b2d4f6081a3c5e7',
          name: 'Ada',
          outcome: 'filtered',
          reason: null,
          explanation: 'It was subscribed with the filters us; the message has only eu.',
          filters: ['us'],
          rule: null,
          event: null,
          members: [],
          connections: [
            {
              ...{ connectionId, gateway: 'k3x0dT9aYk3x0dT9', connectedAt: exampleTime },
              ...{ closedAt: null, closeCode: null, closeReason: null },
              ...{ outcome: 'filtered', reason: null, how: null },
              explanation: 'It was subscribed with the filters us; the message has only eu.',
              evidence: [
                {
                  connectionId,
                  fact: {
                    ...{ at: exampleTime, kind: 'subscribed', topic: 'support-desk/lobby/chat' },
                    ...{ scope: null, filters: ['us'] },
                  },
                },
              ],
            },
          ],
          hasMoreConnections: false,
        },
      ],
    },
  ],
  ...{ examined: 12, hasMore: false, nextCursor: null },
};

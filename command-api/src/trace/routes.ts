import { externalActorId } from '@roomwire/shared/credentials/externalActor';
import { isExternalSubject } from '@roomwire/shared/domain/tokenRevocation';
import { EngineUnavailable } from '@roomwire/shared/ports/errors';
import type { Clock } from '@roomwire/shared/ports/clock';
import { auditKeys } from '@roomwire/shared/wire/audit/auditKeys';
import { clampedLimit } from '../http/clampedLimit.js';
import { upToDate, type AuditDeps } from '../audit/auditReads.js';
import type { InTurn } from '../audit/readTurns.js';
import { pastRecords, readOnce, type PastRecords } from '../explain/pastRecords.js';
import { Rejection } from '../handling/rejections.js';
import type { HistoryDeps } from '../history/routes.js';
import { validationError } from '../http/errors.js';
import { actorKeyIdPattern, isUuid } from '../http/request.js';
import { sessionRoute, type ResourceDeps, type Route } from '../http/route.js';
import { organizationOf } from '../organizations/resource.js';
import { existing, projectTarget } from '../projects/decider.js';
import { findAt, findById, type FoundMessages } from './findMessages.js';
import { isOfActor, type ReadRecord } from './recordReads.js';
import {
  exampleTrace,
  mostActors,
  presentFound,
  presentMissing,
  traceQuerySchema,
  traceSchema,
  type NamedActor,
  type TraceAnswer,
  type TraceQuery,
} from './resource.js';
import { actorsOf, type ActorPage } from './roomActors.js';
import { MessageTrace } from './trace.js';
import { hypotheticalMessage } from './tracedMessage.js';
import { tracedTopic, type TracedTopic } from './tracedTopic.js';

export interface TraceDeps {
  /** What has happened to connections. */
  readonly connectionRecord: ReadRecord;
}

type Deps = AuditDeps &
  TraceDeps &
  HistoryDeps &
  Pick<ResourceDeps, 'commands' | 'views'> & { readonly clock: Clock };

export const traceRoutes = (deps: Deps, inTurn: InTurn): readonly Route[] => [
  sessionRoute({
    method: 'get',
    path: '/organizations/{orgId}/trace',
    operationId: 'traceMessage',
    tag: 'Connections',
    summary: 'Tell what became of a message for an actor, or for all in its room, and why',
    query: traceQuerySchema,
    status: 200,
    answer: traceSchema,
    example: { answer: exampleTrace },
    rejections: [
      ...(['organization_not_found', 'project_not_found', 'scope_not_found', 'actor_not_found'] as const),
      ...(['history_too_long', 'history_too_large', 'too_many_past_reads'] as const),
    ],
    async handle(request) {
      const { organizationId } = await organizationOf(deps.commands, request);
      const { query } = request;
      const projectId = query.projectId.toLowerCase();
      await deps.commands.inspect(projectTarget(projectId), (state) =>
        existing(state, { organizationId, projectId }),
      );
      requireOneOf(query);
      await upToDate(deps);
      return inTurn(organizationId, () => trace(deps, { ...query, organizationId, projectId }));
    },
  }),
];

/** Throws a validation error for what the schema cannot express. */
const requireOneOf = ({ messageId, position, at }: TraceQuery): void => {
  const given = [messageId, position, at].filter((each) => each !== undefined);
  if (given.length !== 1)
    throw validationError([
      {
        path: 'messageId',
        value: messageId ?? null,
        message: 'exactly one of messageId, position and at must be given',
      },
    ]);
};

type Asked = TraceQuery & { readonly organizationId: string };

const trace = async (deps: Deps, asked: Asked): Promise<TraceAnswer> => {
  const { clock, views, connectionRecord: record } = deps;
  const now = clock.now();
  const time = asked.at === undefined ? now : Date.parse(asked.at);
  const records = readOnce(pastRecords(deps, asked.organizationId, time));
  const topic = await tracedTopic(views, records, asked);
  const actorTokenId = asked.actorId && (await actorIdOf(record, records, topic, asked.actorId));
  const found = await findMessages(deps, topic, asked, now);
  const { messages, missing, examined, hasMore } = found;
  const common = { topic: asked.topic, accessScopeId: topic.scope?.accessScopeId ?? null, examined, hasMore };
  if (missing !== undefined) {
    const actor = actorTokenId
      ? { actorTokenId, record: await views.get('actors', actorTokenId) }
      : undefined;
    return {
      ...common,
      messages: [presentMissing(asked.messageId, asked.position, missing, actor)],
      nextCursor: null,
    };
  }
  // What happened then has to be on record before anybody is looked for.
  const traces: MessageTrace[] = [];
  for (const message of messages) traces.push(await MessageTrace.of({ ...deps, record }, topic, message));
  const page: ActorPage = actorTokenId
    ? { actorTokenIds: [actorTokenId], next: undefined }
    : await actorsOf(record, topic, messages, { after: asked.cursor, limit: limitOf(asked) });
  const answered: TraceAnswer['messages'][number][] = [];
  for (const ofMessage of traces) {
    const actors: NamedActor[] = [];
    for (const id of page.actorTokenIds)
      actors.push({ ...(await ofMessage.actor(id)), record: await views.get('actors', id) });
    answered.push(presentFound(ofMessage, topic, actors));
  }
  return { ...common, messages: answered, nextCursor: page.next ?? null };
};

const limitOf = ({ limit = mostActors }: TraceQuery): number => clampedLimit(limit, mostActors);

const findMessages = async (
  { history }: HistoryDeps,
  { room, topic, exists, record }: TracedTopic,
  { messageId, position, at }: Asked,
  now: number,
): Promise<FoundMessages> => {
  const none = { messages: [], missing: undefined, examined: 0, hasMore: false };
  if (at !== undefined) return { ...none, messages: [hypotheticalMessage(room, topic, Date.parse(at))] };
  if (record === undefined) return { ...none, missing: exists ? 'no_history' : 'no_topic' };
  const kept = history();
  if (kept === undefined) throw new EngineUnavailable('message history');
  const view = await kept.look(record.topic);
  if (position !== undefined) return findAt(record.topic, view, record.bounds, { position, now });
  return findById(view, record.bounds, messageId ?? '', now);
};

/** Of an actor that the project has, or had, or of an external one that has been there. */
const actorIdOf = async (
  record: ReadRecord,
  records: PastRecords,
  { organizationId, projectId }: TracedTopic,
  asked: string,
): Promise<string> => {
  if (isExternalSubject(asked)) return externalActorId(projectId, asked);
  const known = isUuid(asked)
    ? await records.idOf('actors', auditKeys.record(asked.toLowerCase()))
    : actorKeyIdPattern.test(asked)
      ? await records.idOf('actors', auditKeys.actorKeyId(asked))
      : undefined;
  const ofProject = known === undefined ? undefined : (await records.get('actors', known)).value?.projectId;
  if (known !== undefined && (ofProject ?? projectId) === projectId) return known;
  const actorTokenId = asked.toLowerCase();
  const isUnknown = known !== undefined || !isUuid(asked);
  const [seen] = isUnknown
    ? []
    : (await record.find({ organizationId, projectId, actorTokenId, limit: 1 })).connections;
  if (seen === undefined || !isOfActor(seen)) throw new Rejection('actor_not_found', { actorId: asked });
  return actorTokenId;
};

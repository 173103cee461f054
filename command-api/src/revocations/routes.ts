import { externalActorId } from '@roomwire/shared/credentials/externalActor';
import {
  createdTokenRevocation,
  isExternalSubject,
  type TokenRevocationFields,
} from '@roomwire/shared/domain/tokenRevocation';
import type { ViewFilter, ViewReader } from '@roomwire/shared/ports/viewStore';
import { actorTarget } from '../actors/decider.js';
import { Rejection } from '../handling/rejections.js';
import { unwritten } from '../handling/writeModel.js';
import { validationError } from '../http/errors.js';
import { recordPage, recordPageOf, recordPageQuery } from '../http/recordLists.js';
import { isUuid } from '../http/request.js';
import { type ResourceDeps, projectContext, projectRoute, type Route } from '../http/route.js';
import { normalTime } from '../http/schema.js';
import { tokenRevocationTarget } from './decider.js';
import {
  createTokenRevocationSchema,
  exampleNewTokenRevocation,
  exampleTokenRevocation,
  presentTokenRevocation,
  tokenRevocationSchema,
} from './resource.js';

const path = '/revocations';

export const tokenRevocationRoutes = ({ commands, views, random }: ResourceDeps): readonly Route[] => [
  projectRoute({
    method: 'post',
    path,
    operationId: 'revokeTokens',
    permission: 'revocations:write',
    tag: 'Revocations',
    summary: 'Revoke the client tokens that an actor, or an external one, was given before a time',
    body: createTokenRevocationSchema,
    status: 201,
    answer: tokenRevocationSchema,
    example: { body: exampleNewTokenRevocation, answer: exampleTokenRevocation },
    rejections: ['actor_not_found'],
    async handle(request) {
      const { body, caller, now } = request;
      // First, so that which error is answered does not depend on how the subject is written.
      const before = notAhead(body.before, now);
      const revocation: TokenRevocationFields = {
        revocationId: random.uuid(),
        projectId: caller.projectId,
        ...(await subjectOf(views, caller.projectId, body.subject)),
        before,
      };
      const context = projectContext(request);
      await (isExternalSubject(revocation.subject)
        ? commands.execute(
            unwritten(tokenRevocationTarget(revocation.revocationId)),
            { type: 'RevokeTokens', revocation },
            context,
          )
        : commands.execute(
            actorTarget(revocation.actorTokenId),
            { type: 'RevokeActorTokens', revocation },
            context,
          ));
      return presentTokenRevocation(createdTokenRevocation(revocation, context.occurredAt));
    },
  }),

  projectRoute({
    method: 'get',
    path,
    operationId: 'listTokenRevocations',
    permission: 'revocations:read',
    tag: 'Revocations',
    summary: 'List the revocations of client tokens that are kept, newest first',
    query: recordPageQuery,
    status: 200,
    answer: recordPageOf(tokenRevocationSchema),
    example: { answer: { data: [exampleTokenRevocation], next: null } },
    rejections: [],
    async handle({ caller: { projectId }, query, now }) {
      const filter = { projectId, ...keptAt(now) };
      return recordPage(views, 'tokenRevocations', filter, query, presentTokenRevocation);
    },
  }),
];

type Subject = Pick<TokenRevocationFields, 'subject' | 'actorTokenId'>;

/** Whether an actor on record exists is decided on its stream; a public key id says nothing but which one is meant. */
const subjectOf = async (
  views: Pick<ViewReader, 'find'>,
  projectId: string,
  subject: string,
): Promise<Subject> => {
  if (isExternalSubject(subject)) return { subject, actorTokenId: externalActorId(projectId, subject) };
  if (isUuid(subject)) return { subject: subject.toLowerCase(), actorTokenId: subject.toLowerCase() };
  const [actor] = await views.find('actors', { filter: { keyId: subject }, limit: 1 });
  if (actor?.projectId !== projectId) throw new Rejection('actor_not_found', { actorId: subject });
  const { actorTokenId } = actor;
  return { subject: actorTokenId, actorTokenId };
};

const notAhead = (before: string | undefined, now: string): string => {
  if (before === undefined) return now;
  const time = normalTime(before);
  if (time <= now) return time;
  throw validationError([{ path: 'before', value: before, message: 'must not be in the future' }]);
};

/** One that has expired is removed a little later. */
const keptAt = (now: string): ViewFilter => ({ $or: [{ keptUntil: null }, { keptUntil: { $gt: now } }] });

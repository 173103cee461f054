import type { CallPayloadDeps } from '@roomwire/shared/runtime/callPayloads';
import { includesRole } from '@roomwire/shared/domain/role';
import { shownCall } from '../audit/shown.js';
import type { CommandContext } from '../handling/streamWriter.js';
import {
  type ResourceDeps,
  pathValue,
  roleIn,
  sessionContext,
  sessionRoute,
  type ApiRequest,
  type Route,
  type SessionCaller,
} from '../http/route.js';
import { organizationOf } from '../organizations/resource.js';
import {
  deadLetterPageSchema,
  deadLetterSchema,
  exampleDeadLetter,
  exampleDeadLetterPage,
  pendingCountSchema,
  entriesOf,
  findDeadLetters,
  createPresenter,
  deadLettersQuerySchema,
  type PresentDeadLetter,
} from './resource.js';
import { deadLetterTarget, existing } from './decider.js';
import { findDeadLetter } from './findDeadLetter.js';

const path = '/organizations/{orgId}/webhook-dlq';

export const deadLetterRoutes = (deps: ResourceDeps & CallPayloadDeps): readonly Route[] => {
  const { commands, views } = deps;
  const present = createPresenter(deps);

  /** Viewers see which headers and query parameters a call had, as in the audit, and not their values. */
  const presentTo = (caller: SessionCaller, organizationId: string): PresentDeadLetter =>
    includesRole(roleIn(caller, organizationId), 'editor')
      ? present
      : async (entry) => shownCall(await present(entry));

  /** What a command on the entry that the path names needs. */
  const onEntry = async (request: ApiRequest<SessionCaller, unknown, unknown>) => {
    const { organizationId } = await organizationOf(commands, request);
    const dlqId = pathValue(request, 'dlqId');
    const named = { dlqId, organizationId };
    const { projectId } = await findDeadLetter(views, named);
    const context: CommandContext = sessionContext(request, organizationId, projectId);
    return { target: deadLetterTarget(dlqId), named, context };
  };

  return [
    sessionRoute({
      method: 'get',
      path,
      operationId: 'listDeadLetters',
      tag: 'Webhook dead letters',
      summary: 'List the webhook calls that failed for good',
      query: deadLettersQuerySchema,
      status: 200,
      answer: deadLetterPageSchema,
      example: { answer: exampleDeadLetterPage },
      rejections: ['organization_not_found'],
      async handle(request) {
        const { organizationId } = await organizationOf(commands, request);
        const presented = presentTo(request.caller, organizationId);
        return findDeadLetters(views, presented, organizationId, request.query);
      },
    }),

    // Before the routes of entries: `stats` is not the id of one.
    sessionRoute({
      method: 'get',
      path: `${path}/stats/pending-count`,
      operationId: 'countPendingDeadLetters',
      tag: 'Webhook dead letters',
      summary: 'Count the pending entries',
      status: 200,
      answer: pendingCountSchema,
      example: { answer: { count: 1 } },
      rejections: ['organization_not_found'],
      async handle(request) {
        const { organizationId } = await organizationOf(commands, request);
        const filter = { ...(await entriesOf(views, organizationId)), status: 'pending' };
        return { count: await views.count('deadLetters', filter) };
      },
    }),

    sessionRoute({
      method: 'get',
      path: `${path}/{dlqId}`,
      operationId: 'getDeadLetter',
      tag: 'Webhook dead letters',
      summary: 'Get an entry',
      status: 200,
      answer: deadLetterSchema,
      example: { answer: exampleDeadLetter },
      rejections: ['organization_not_found', 'dead_letter_not_found'],
      async handle(request) {
        const { organizationId } = await organizationOf(commands, request);
        const entry = await findDeadLetter(views, { dlqId: pathValue(request, 'dlqId'), organizationId });
        return presentTo(request.caller, organizationId)(entry);
      },
    }),

    sessionRoute({
      method: 'delete',
      path: `${path}/{dlqId}/mark-dead`,
      operationId: 'markDeadLetterDead',
      role: 'editor',
      tag: 'Webhook dead letters',
      summary: 'Mark an entry as permanently failed',
      status: 200,
      answer: deadLetterSchema,
      example: { answer: { ...exampleDeadLetter, status: 'dead' } },
      rejections: ['organization_not_found', 'dead_letter_not_found'],
      async handle(request) {
        const { target, named, context } = await onEntry(request);
        const marked = await commands.execute(
          target,
          { type: 'MarkDeadLetterDead', ...named },
          context,
          (state) => existing(state, named),
        );
        return present(marked);
      },
    }),

    sessionRoute({
      method: 'delete',
      path: `${path}/{dlqId}`,
      operationId: 'deleteDeadLetter',
      role: 'editor',
      tag: 'Webhook dead letters',
      summary: 'Delete an entry',
      status: 204,
      rejections: ['organization_not_found', 'dead_letter_not_found'],
      async handle(request) {
        const { target, named, context } = await onEntry(request);
        await commands.execute(target, { type: 'DeleteDeadLetter', ...named }, context);
      },
    }),
  ];
};

import { loadCallPayload, type CallPayloadDeps } from '@roomwire/shared/runtime/callPayloads';
import { UnknownEvent } from '@roomwire/shared/domain/events';
import { EngineUnavailable, RevisionConflict } from '@roomwire/shared/ports/errors';
import { Rejection } from '../handling/rejections.js';
import {
  type ResourceDeps,
  Otherwise,
  pathValue,
  sessionContext,
  sessionRoute,
  type ApiRequest,
  type Route,
  type SessionCaller,
} from '../http/route.js';
import { organizationOf } from '../organizations/resource.js';
import {
  deadLetterSchema,
  chosenFilter,
  entriesOf,
  exampleDeadLetter,
  exampleRedrive,
  redriveOutcomeSchema,
  redriveQuerySchema,
  redriveSchema,
  exampleRedriveOutcome,
  presentDeadLetter,
  redriveBodySchema,
  type RedriveBody,
  mostRedriven,
} from './resource.js';
import { deadLetterTarget, existing } from './decider.js';
import { findDeadLetter } from './findDeadLetter.js';
import type { RedriveWatch } from './redriveWatch.js';
import type { ViewFilter, ViewReader } from '@roomwire/shared/ports/viewStore';
import { oldestFirst } from '../http/listing.js';

export interface RedriveDeps {
  readonly redriveWatch: Pick<RedriveWatch, 'outcomeOf'>;
}

const path = '/organizations/{orgId}/webhook-dlq';

type Request = ApiRequest<SessionCaller, unknown, unknown>;

/** [HOOK-REDRIVE-1] The event requests the call; the relay of redrives puts the call on the bus. */
export const redriveRoutes = (deps: ResourceDeps & CallPayloadDeps & RedriveDeps): readonly Route[] => {
  const { commands, views, random, redriveWatch } = deps;

  const redrive = async (request: Request, organizationId: string, dlqId: string) => {
    const named = { dlqId, organizationId };
    await findDeadLetter(views, named);
    const target = deadLetterTarget(dlqId);
    const entry = await commands.inspect(target, (state) => existing(state, named));
    const sent = await loadCallPayload(deps, entry);
    if (sent === undefined && entry.status !== 'dead')
      throw new Rejection('dead_letter_payload_expired', { dlqId });
    const redriveId = random.uuid();
    const redriven = await commands.execute(
      target,
      {
        type: 'RedriveDeadLetter',
        ...named,
        redriveId,
        redrivenBy: request.caller.principal,
      },
      sessionContext(request, organizationId, entry.projectId),
      (state) => existing(state, named),
    );
    return { redriveId, entry: presentDeadLetter(redriven, sent) };
  };

  return [
    sessionRoute({
      method: 'post',
      path: `${path}/{dlqId}/redrive`,
      operationId: 'redriveDeadLetter',
      role: 'editor',
      tag: 'Webhook dead letters',
      summary: 'Redrive an entry: success removes it, any other outcome is recorded in it',
      query: redriveQuerySchema,
      status: 202,
      answer: deadLetterSchema,
      example: { answer: { ...exampleDeadLetter, redriveCount: 1, lastRedriveBy: 'session:ada' } },
      otherwise: { status: 200, answer: redriveOutcomeSchema, example: exampleRedriveOutcome },
      rejections: [
        'organization_not_found',
        'dead_letter_not_found',
        'dead_letter_dead',
        'dead_letter_payload_expired',
      ],
      async handle(request) {
        const { organizationId } = await organizationOf(commands, request);
        const dlqId = pathValue(request, 'dlqId');
        const { redriveId, entry } = await redrive(request, organizationId, dlqId);
        if (request.query.wait !== 'true') return entry;
        return new Otherwise(await redriveWatch.outcomeOf(commands, dlqId, redriveId));
      },
    }),

    sessionRoute({
      method: 'post',
      path: `${path}/redrive`,
      operationId: 'redriveDeadLetters',
      role: 'editor',
      tag: 'Webhook dead letters',
      summary: 'Redrive many entries; by default a dry run that only lists them',
      body: redriveBodySchema,
      status: 200,
      answer: redriveSchema,
      example: exampleRedrive,
      rejections: ['organization_not_found'],
      async handle(request) {
        const { organizationId } = await organizationOf(commands, request);
        return redriveMany(views, organizationId, request.body, (dlqId) =>
          redrive(request, organizationId, dlqId),
        );
      },
    }),
  ];
};

const together = 20;

/**
 * It has no payload, was deleted or marked dead since it was found, is changed by others all the time, or a newer version has written into
 * it: none of that says anything about the other entries.
 */
const isOfOneEntry = (error: unknown): boolean =>
  error instanceof Rejection || error instanceof RevisionConflict || error instanceof UnknownEvent;

/**
 * Redrives the matching entries of an organization, except those that cannot be. Where an engine fails after some of them were redriven, it ends
 * there: who is answered with an error does not know of them, and has their calls made once more.
 */
export const redriveMany = async (
  views: ViewReader,
  organizationId: string,
  { dryRun = true, limit = mostRedriven, ...chosen }: RedriveBody,
  redriveOne: (dlqId: string) => Promise<unknown>,
) => {
  const entries = await views.find('deadLetters', {
    filter: { ...(await entriesOf(views, organizationId)), ...filterOf(chosen) },
    sort: oldestFirst,
    limit,
  });
  const dlqIds = entries.map(({ dlqId }) => dlqId);
  let redriven = 0;
  for (let from = 0; !dryRun && from < dlqIds.length; from += together) {
    const outcomes = await Promise.allSettled(dlqIds.slice(from, from + together).map(redriveOne));
    redriven += outcomes.filter(({ status }) => status === 'fulfilled').length;
    const failed = outcomes.find(
      (outcome) => outcome.status === 'rejected' && !isOfOneEntry(outcome.reason),
    ) as PromiseRejectedResult | undefined;
    if (failed === undefined) continue;
    if (redriven === 0 || !(failed.reason instanceof EngineUnavailable)) throw failed.reason;
    break;
  }
  return { matched: dlqIds.length, redriven, dryRun, dlqIds };
};

const filterOf = ({ status, ...chosen }: RedriveBody): ViewFilter => ({
  status: status ?? { $in: ['pending', 'failed'] },
  ...chosenFilter(chosen),
});

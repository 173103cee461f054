import type { WebhookOutcome } from '@roomwire/shared/wire/bus/webhookOutcomes';
import { type ResourceDeps, sessionRoute, type Route } from '../http/route.js';
import { organizationOf } from '../organizations/resource.js';
import {
  exampleOutcomes,
  outcomesSchema,
  presentOutcome,
  cursorOf,
  textOfCursor,
  outcomesQuerySchema,
  type OutcomesQuery,
} from './resource.js';
import type { OutcomeWatch, Matches } from './outcomeWatch.js';

export interface OutcomeDeps {
  readonly outcomes: Pick<OutcomeWatch, 'next'>;
}

/** [HOOK-WATCH-3] Polled with the cursor of the previous answer, it shows calls as they happen. */
export const webhookOutcomeRoutes = ({
  commands,
  outcomes,
}: OutcomeDeps & Pick<ResourceDeps, 'commands'>): readonly Route[] => [
  sessionRoute({
    method: 'get',
    path: '/organizations/{orgId}/webhook-outcomes',
    operationId: 'watchWebhookOutcomes',
    tag: 'Webhook outcomes',
    summary: 'Wait for attempts of webhook calls and their outcomes',
    query: outcomesQuerySchema,
    status: 200,
    answer: outcomesSchema,
    example: { answer: exampleOutcomes },
    rejections: ['organization_not_found'],
    async handle(request) {
      const { organizationId } = await organizationOf(commands, request);
      const { cursor } = request.query;
      const watched = await outcomes.next(
        matching(organizationId, request.query),
        cursor === undefined ? undefined : cursorOf(cursor),
      );
      return {
        data: watched.outcomes.map(presentOutcome),
        cursor: textOfCursor(watched.cursor),
        gap: watched.isGap,
      };
    },
  }),
];

const matching = (organizationId: string, { projectId, appId, failed }: OutcomesQuery): Matches => {
  const [project, app] = [projectId?.toLowerCase(), appId?.toLowerCase()];
  return (outcome: WebhookOutcome) =>
    outcome.organizationId === organizationId &&
    (project === undefined || outcome.projectId === project) &&
    (app === undefined || outcome.appId === app) &&
    (failed === undefined || (outcome.outcome !== '2xx') === (failed === 'true'));
};

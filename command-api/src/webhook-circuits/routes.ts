import { includesRole } from '@roomwire/shared/domain/role';
import { circuitIdOf } from '@roomwire/shared/wire/webhooks/circuitId';
import { shownCall } from '../audit/shown.js';
import { examplePage, findPage, pageOf } from '../http/listing.js';
import { type ResourceDeps, roleIn, sessionContext, sessionRoute, type Route } from '../http/route.js';
import { projectOf } from '../projects/resource.js';
import { webhookCircuitTarget } from './decider.js';
import {
  closedWebhookCircuitSchema,
  closeWebhookCircuitSchema,
  exampleWebhookCircuit,
  presentWebhookCircuit,
  webhookCircuitSchema,
  webhookCircuitsQuerySchema,
} from './resource.js';

const path = '/organizations/{orgId}/projects/{projectId}/webhook-circuits';

/** [HOOK-CIRCUIT-4] Endpoints whose calls wait, and to have them called again before they have answered. */
export const webhookCircuitRoutes = ({ commands, views }: ResourceDeps): readonly Route[] => [
  sessionRoute({
    method: 'get',
    path,
    operationId: 'listWebhookCircuits',
    tag: 'Webhook circuits',
    summary: 'List the endpoints whose circuits are open',
    query: webhookCircuitsQuerySchema,
    status: 200,
    answer: pageOf(webhookCircuitSchema),
    example: { answer: examplePage(exampleWebhookCircuit) },
    rejections: ['organization_not_found', 'project_not_found'],
    async handle(request) {
      const { organizationId, projectId } = await projectOf(commands, request);
      const seesUrls = includesRole(roleIn(request.caller, organizationId), 'editor');
      return findPage(views, 'webhookCircuits', { projectId }, request.query, (circuit) => {
        const presented = presentWebhookCircuit(circuit);
        return seesUrls ? presented : shownCall(presented);
      });
    },
  }),

  sessionRoute({
    method: 'post',
    path: `${path}/close`,
    operationId: 'closeWebhookCircuit',
    role: 'editor',
    tag: 'Webhook circuits',
    summary: 'Close the circuit of an endpoint: the calls that wait for it are made',
    body: closeWebhookCircuitSchema,
    status: 200,
    answer: closedWebhookCircuitSchema,
    example: { body: { url: exampleWebhookCircuit.url }, answer: { closed: true } },
    rejections: ['organization_not_found', 'project_not_found'],
    async handle(request) {
      const { organizationId, projectId } = await projectOf(commands, request);
      const target = webhookCircuitTarget(circuitIdOf(projectId, request.body.url));
      const isOpen = await commands.inspect(target, (circuit) => circuit !== undefined);
      if (isOpen) {
        const context = sessionContext(request, organizationId, projectId);
        await commands.execute(target, { type: 'CloseWebhookCircuit' }, context);
      }
      return { closed: isOpen };
    },
  }),
];

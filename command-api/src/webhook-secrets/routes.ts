import { mintWebhookSecret } from '@roomwire/shared/credentials/secretToken';
import type { SecretBox } from '@roomwire/shared/credentials/secretBox';
import { examplePage, findPage, pageOf } from '../http/listing.js';
import { type ResourceDeps, pathValue, sessionContext, sessionRoute, type Route } from '../http/route.js';
import { projectOf } from '../projects/resource.js';
import {
  createdWebhookSecretSchema,
  exampleCreatedWebhookSecret,
  exampleNewWebhookSecret,
  exampleWebhookSecret,
  webhookSecretSchema,
  presentWebhookSecret,
  createWebhookSecretSchema,
  webhookSecretsQuerySchema,
} from './resource.js';
import { existing, webhookSecretsTarget } from './decider.js';

export interface WebhookSecretDeps extends ResourceDeps {
  readonly secretBoxes: { readonly webhookSecrets: SecretBox };
}

const path = '/organizations/{orgId}/projects/{projectId}/webhook-secrets';
export const webhookSecretRoutes = ({
  commands,
  views,
  random,
  secretBoxes,
}: WebhookSecretDeps): readonly Route[] => [
  sessionRoute({
    method: 'post',
    path,
    operationId: 'createWebhookSecret',
    tag: 'Webhook secrets',
    summary: 'Create a webhook secret; the secret itself is shown only in this answer',
    body: createWebhookSecretSchema,
    status: 201,
    answer: createdWebhookSecretSchema,
    example: { body: exampleNewWebhookSecret, answer: exampleCreatedWebhookSecret },
    rejections: ['organization_not_found', 'project_not_found', 'webhook_secrets_full'],
    async handle(request) {
      const { organizationId, projectId } = await projectOf(commands, request);
      const webhookSecretId = random.uuid();
      const shown = mintWebhookSecret(random);
      const sealedSecret = secretBoxes.webhookSecrets.seal(shown, webhookSecretId);
      const secret = { webhookSecretId, projectId, name: request.body.name, sealedSecret };
      return commands.execute(
        webhookSecretsTarget(projectId),
        { type: 'CreateWebhookSecret', secret },
        sessionContext(request, organizationId, projectId),
        (secrets) => ({ ...presentWebhookSecret(existing(secrets, webhookSecretId)), webhookSecret: shown }),
      );
    },
  }),

  sessionRoute({
    method: 'get',
    path,
    operationId: 'listWebhookSecrets',
    tag: 'Webhook secrets',
    summary: 'List the webhook secrets of the project',
    query: webhookSecretsQuerySchema,
    status: 200,
    answer: pageOf(webhookSecretSchema),
    example: { answer: examplePage(exampleWebhookSecret) },
    rejections: ['organization_not_found', 'project_not_found'],
    async handle(request) {
      const { projectId } = await projectOf(commands, request);
      return findPage(views, 'webhookSecrets', { projectId }, request.query, presentWebhookSecret);
    },
  }),

  sessionRoute({
    method: 'delete',
    path: `${path}/{webhookSecretId}`,
    operationId: 'deleteWebhookSecret',
    tag: 'Webhook secrets',
    summary: 'Delete a webhook secret: calls are no longer signed with it',
    status: 204,
    rejections: ['organization_not_found', 'project_not_found', 'webhook_secret_not_found'],
    async handle(request) {
      const { organizationId, projectId } = await projectOf(commands, request);
      const webhookSecretId = pathValue(request, 'webhookSecretId');
      await commands.execute(
        webhookSecretsTarget(projectId),
        { type: 'DeleteWebhookSecret', webhookSecretId },
        sessionContext(request, organizationId, projectId),
      );
    },
  }),
];

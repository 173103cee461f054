import type { SecretBox } from '@roomwire/shared/credentials/secretBox';
import { mintToken } from '@roomwire/shared/credentials/secretToken';
import { Rejection } from '../handling/rejections.js';
import { unwritten } from '../handling/writeModel.js';
import { lastUseOf, containing, examplePage, findPage, pageOf } from '../http/listing.js';
import { type ResourceDeps, pathValue, projectContext, projectRoute, type Route } from '../http/route.js';
import {
  createdSigningKeySchema,
  exampleCreatedSigningKey,
  exampleNewSigningKey,
  exampleSigningKey,
  signingKeySchema,
  presentSigningKey,
  presentSigningKeys,
  createSigningKeySchema,
  signingKeysQuerySchema,
  updateSigningKeySchema,
} from './resource.js';
import { existing, signingKeyTarget } from './decider.js';

export interface SigningKeyDeps extends ResourceDeps {
  readonly secretBoxes: { readonly signingKeys: SecretBox };
}

export const signingKeyRoutes = ({
  commands,
  views,
  usage,
  random,
  secretBoxes,
}: SigningKeyDeps): readonly Route[] => [
  projectRoute({
    method: 'get',
    path: '/signing-keys',
    operationId: 'listSigningKeys',
    permission: 'signing-keys:read',
    tag: 'Signing keys',
    summary: 'List the signing keys of the project',
    query: signingKeysQuerySchema,
    status: 200,
    answer: pageOf(signingKeySchema),
    example: { answer: examplePage(exampleSigningKey) },
    rejections: [],
    async handle({ caller, query }) {
      const { name, status } = query;
      const filter = {
        projectId: caller.projectId,
        ...(name === undefined ? {} : { name: containing(name) }),
        ...(status === undefined ? {} : { status }),
      };
      const page = await findPage(views, 'signingKeys', filter, query, (key) => key);
      return { ...page, data: await presentSigningKeys(usage, page.data) };
    },
  }),

  projectRoute({
    method: 'post',
    path: '/signing-keys',
    operationId: 'createSigningKey',
    permission: 'signing-keys:write',
    tag: 'Signing keys',
    summary: 'Create a signing key; its secret is shown only in this answer',
    body: createSigningKeySchema,
    status: 201,
    answer: createdSigningKeySchema,
    example: { body: exampleNewSigningKey, answer: exampleCreatedSigningKey },
    rejections: [],
    async handle(request) {
      const { name, environment = 'live', allowExternalActors = false } = request.body;
      const { keyId, token } = mintToken(random, `sk_${environment}`);
      const signingKeyId = random.uuid();
      const sealedSecret = secretBoxes.signingKeys.seal(token.slice(`${keyId}.`.length), signingKeyId);
      const { projectId } = request.caller;
      const signingKey = { signingKeyId, projectId, keyId, name, allowExternalActors, sealedSecret };
      return commands.execute(
        unwritten(signingKeyTarget(signingKeyId)),
        { type: 'CreateSigningKey', signingKey },
        projectContext(request),
        (state) => ({ ...presentSigningKey(existing(state, signingKey), null), signingKey: token }),
      );
    },
  }),

  projectRoute({
    method: 'get',
    path: '/signing-keys/{signingKeyId}',
    operationId: 'getSigningKey',
    permission: 'signing-keys:read',
    tag: 'Signing keys',
    summary: 'Get a signing key, without its secret',
    status: 200,
    answer: signingKeySchema,
    example: { answer: exampleSigningKey },
    rejections: ['signing_key_not_found'],
    async handle(request) {
      const signingKeyId = pathValue(request, 'signingKeyId');
      const key = await views.get('signingKeys', signingKeyId);
      if (key?.projectId !== request.caller.projectId)
        throw new Rejection('signing_key_not_found', { signingKeyId });
      return presentSigningKey(key, await lastUseOf(usage, signingKeyId));
    },
  }),

  projectRoute({
    method: 'patch',
    path: '/signing-keys/{signingKeyId}',
    operationId: 'updateSigningKey',
    permission: 'signing-keys:write',
    tag: 'Signing keys',
    summary: 'Change a signing key; its secret cannot change',
    body: updateSigningKeySchema,
    status: 200,
    answer: signingKeySchema,
    example: { body: { status: 'disabled' }, answer: { ...exampleSigningKey, status: 'disabled' } },
    rejections: ['signing_key_not_found'],
    async handle(request) {
      const { projectId } = request.caller;
      const signingKeyId = pathValue(request, 'signingKeyId');
      const lastUsedAt = await lastUseOf(usage, signingKeyId);
      return commands.execute(
        signingKeyTarget(signingKeyId),
        { type: 'UpdateSigningKey', signingKeyId, projectId, changes: request.body },
        projectContext(request),
        (state) => presentSigningKey(existing(state, { signingKeyId, projectId }), lastUsedAt),
      );
    },
  }),

  projectRoute({
    method: 'delete',
    path: '/signing-keys/{signingKeyId}',
    operationId: 'deleteSigningKey',
    permission: 'signing-keys:write',
    tag: 'Signing keys',
    summary: 'Delete a signing key; tokens that it has signed become invalid',
    status: 204,
    rejections: ['signing_key_not_found'],
    async handle(request) {
      const { projectId } = request.caller;
      const signingKeyId = pathValue(request, 'signingKeyId');
      await commands.execute(
        signingKeyTarget(signingKeyId),
        { type: 'DeleteSigningKey', signingKeyId, projectId },
        projectContext(request),
      );
    },
  }),
];

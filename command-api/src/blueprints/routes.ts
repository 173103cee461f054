import type { Blueprint } from '@roomwire/shared/domain/blueprint';
import type { CommandHandler } from '../handling/commandHandler.js';
import { Rejection } from '../handling/rejections.js';
import { unwritten } from '../handling/writeModel.js';
import { validationError } from '../http/errors.js';
import { examplePage, findPage, pageOf } from '../http/listing.js';
import { type ResourceDeps, pathValue, sessionContext, sessionRoute, type Route } from '../http/route.js';
import { organizationOf } from '../organizations/resource.js';
import {
  blueprintSchema,
  exampleBlueprint,
  exampleNewBlueprint,
  presentBlueprint,
  blueprintsQuerySchema,
  registerBlueprintSchema,
  type RegisterBlueprintBody,
} from './resource.js';
import { blueprintTarget, existing, type BlueprintCommand } from './decider.js';
import { readDefinition } from './definition.js';

export const blueprintRoutes = ({ commands, views, random }: ResourceDeps): readonly Route[] => [
  sessionRoute({
    method: 'post',
    path: '/organizations/{orgId}/blueprints',
    operationId: 'registerBlueprint',
    role: 'editor',
    tag: 'Blueprints',
    summary: 'Register a blueprint, or another version of one',
    body: registerBlueprintSchema,
    status: 201,
    answer: blueprintSchema,
    example: { body: exampleNewBlueprint, answer: exampleBlueprint },
    rejections: ['organization_not_found', 'blueprint_not_found', 'blueprint_version_taken'],
    async handle(request) {
      const { organizationId } = await organizationOf(commands, request);
      const { body } = request;
      const isNew = body.blueprintId === undefined;
      const blueprintId = body.blueprintId?.toLowerCase() ?? random.uuid();
      const blueprint = { blueprintId, organizationId, name: body.name ?? '' };
      if (!isNew) await requireSameName(commands, blueprint, body.name);
      return commands.execute(
        isNew ? unwritten(blueprintTarget(blueprintId)) : blueprintTarget(blueprintId),
        registering(body, blueprint),
        sessionContext(request, organizationId),
        (state) => presentBlueprint(existing(state, blueprint)),
      );
    },
  }),

  sessionRoute({
    method: 'get',
    path: '/organizations/{orgId}/blueprints',
    operationId: 'listBlueprints',
    tag: 'Blueprints',
    summary: 'List the blueprints of an organization',
    query: blueprintsQuerySchema,
    status: 200,
    answer: pageOf(blueprintSchema),
    example: { answer: examplePage(exampleBlueprint) },
    rejections: ['organization_not_found'],
    async handle(request) {
      const { organizationId } = await organizationOf(commands, request);
      return findPage(views, 'blueprints', { organizationId }, request.query, presentBlueprint);
    },
  }),

  sessionRoute({
    method: 'get',
    path: '/organizations/{orgId}/blueprints/{blueprintId}',
    operationId: 'getBlueprint',
    tag: 'Blueprints',
    summary: 'Get a blueprint',
    status: 200,
    answer: blueprintSchema,
    example: { answer: exampleBlueprint },
    rejections: ['organization_not_found', 'blueprint_not_found'],
    async handle(request) {
      const { organizationId } = await organizationOf(commands, request);
      const blueprintId = pathValue(request, 'blueprintId');
      const blueprint = await views.get('blueprints', blueprintId);
      if (blueprint?.organizationId !== organizationId)
        throw new Rejection('blueprint_not_found', { blueprintId });
      return presentBlueprint(blueprint);
    },
  }),
];

type Named = Pick<Blueprint, 'blueprintId' | 'organizationId' | 'name'>;

const registering = (body: RegisterBlueprintBody, blueprint: Named): BlueprintCommand => {
  const { version } = body;
  const definition = readDefinition(body.definition);
  const { blueprintId, organizationId } = blueprint;
  return body.blueprintId === undefined
    ? { type: 'RegisterBlueprint', blueprint, version, definition }
    : { type: 'AddBlueprintVersion', blueprintId, organizationId, version, definition };
};

/** A version under another name was most likely meant for another blueprint. Names never change. */
const requireSameName = async (
  commands: CommandHandler,
  asked: Named,
  name: string | undefined,
): Promise<void> => {
  const blueprint = await commands.inspect(blueprintTarget(asked.blueprintId), (state) =>
    existing(state, asked),
  );
  if (name !== undefined && name !== blueprint.name)
    throw validationError([{ path: 'name', value: name, message: 'must be the name of the blueprint' }]);
};

import { expect } from 'chai';
import type { Answer } from '../../../support/conformance.js';
import { expectApplicationError, expectFrameworkError } from '../../../support/shapes.js';
import { endpoints, parametersOf, type Endpoint, type PathParameter } from './endpoints.js';
import { call, callerOf, forEachEndpoint, idsOf, inCase, openWorld, type World } from './world.js';

const unknownId = '11111111-2222-4333-8444-555555555555';
const noUuids = [
  'nonsense',
  '7',
  'at_live_0123',
  unknownId.slice(1),
  `${unknownId}0`,
  unknownId.replaceAll('-', ''),
  `%7B${unknownId}%7D`,
  unknownId.replace('1', 'g'),
  `${unknownId}%0A`,
  '%F0%9F%98%80',
];
const noActorIds = noUuids.filter((id) => !id.startsWith('at_')).concat('at_', 'sk_live_0123', 'at_a%2Fb');

/** What is said of a thing that is not there. Of an app and what is below it by the framework's shape. */
const missing: Readonly<Record<PathParameter, (id: string, world: World) => (answer: Answer) => void>> = {
  appId:
    (id, { own }) =>
    (answer) =>
      expectFrameworkError(answer, 404, `App ${id} not found in project ${own.ids.projectId}`, 'Not Found'),
  ...application({
    roomId: 'Room',
    roomActorAccessId: 'Room grant',
    groupId: 'Worker group',
    actorId: 'Actor token',
    scopeId: 'Access scope',
    signingKeyId: 'Signing key',
    orgId: 'Organization',
    projectId: 'Project',
    apiKeyId: 'API key',
    blueprintId: 'Blueprint',
    dlqId: 'Webhook dead letter',
    webhookSecretId: 'Webhook secret',
    scheduledId: 'Scheduled publish',
    connectionId: 'Connection',
  }),
};

function application<P extends string>(nouns: Readonly<Record<P, string>>) {
  const rows = Object.entries(nouns).map(([parameter, noun]) => [
    parameter,
    (id: string) => (answer: Answer) =>
      expectApplicationError(answer, 404, `${noun as string} ${id} not found`),
  ]);
  return Object.fromEntries(rows) as Record<P, (id: string) => (answer: Answer) => void>;
}

const withParameters = endpoints.filter((endpoint) => parametersOf(endpoint).length > 0);

describe('REST contract: paths', () => {
  let world: World;

  before(async () => void (world = await openWorld()));
  after(() => world.close());

  /** The answer where one parameter of the path is another than the world's own. */
  const answerWith = (endpoint: Endpoint, parameter: PathParameter, id: string) =>
    call(callerOf(world, endpoint), endpoint, { ...idsOf(world.own, endpoint), [parameter]: id });

  describe('a malformed id is refused', () => {
    forEachEndpoint(withParameters, async (endpoint) => {
      for (const parameter of parametersOf(endpoint)) {
        const message =
          parameter === 'actorId'
            ? 'Invalid actorId: must be a UUID or public keyId (at_...)'
            : `Invalid ${parameter} UUID format`;
        for (const id of parameter === 'actorId' ? noActorIds : noUuids)
          await inCase(`${parameter} ${id}`, async () =>
            expectApplicationError(await answerWith(endpoint, parameter, id), 400, message),
          );
      }
    });
  });

  describe('an unknown id, or one of another tenant, is not found', () => {
    forEachEndpoint(withParameters, async (endpoint) => {
      for (const parameter of parametersOf(endpoint)) {
        const others = [unknownId, idsOf(world.foreign, endpoint)[parameter]];
        // An operator sees every organization: in another one, its other resources are not found.
        const ids = parameter === 'orgId' ? [unknownId] : others;
        if (parameter === 'actorId') ids.push(world.foreign.actorKeyId, 'at_live_000000');
        for (const id of ids)
          await inCase(`${parameter} ${id}`, async () =>
            missing[parameter](id, world)(await answerWith(endpoint, parameter, id)),
          );
      }
    });
  });

  it('accepts an id in any case', async () => {
    const upper = Object.fromEntries(
      Object.entries(world.own.ids).map(([name, id]) => [name, id.toUpperCase()]),
    );
    for (const endpoint of withParameters.filter(({ method }) => method === 'GET'))
      expect(lasting((await call(callerOf(world, endpoint), endpoint, upper)).body)).to.eql(
        lasting((await call(callerOf(world, endpoint), endpoint, idsOf(world.own, endpoint))).body),
      );
  });

  it('leaves the resources of every tenant unchanged', async () => {
    for (const endpoint of withParameters.filter(({ method }) => method === 'GET'))
      for (const tenant of [world.own, world.foreign]) {
        const client = endpoint.access === 'project' ? tenant.project : world.service.operator;
        const { status } = await call(client, endpoint, idsOf(tenant, endpoint));
        expect({ path: endpoint.path, status }).to.eql({ path: endpoint.path, status: 200 });
      }
    expect(world.service.logLines.filter(({ level }) => level === 'error')).to.eql([]);
  });
});

/** Without the place of a watcher, which moves with the time. */
const lasting = (body: any) => (body?.cursor === undefined ? body : { ...body, cursor: 'a place' });

import { expect } from 'chai';
import type { Answer } from '../../../support/conformance.js';
import { expectApplicationError, expectFrameworkError } from '../../../support/shapes.js';
import { endpoints, parametersOf } from './endpoints.js';
import {
  call,
  callerOf,
  done,
  forEachEndpoint,
  idsOf,
  inCase,
  openWorld,
  sessionOf,
  type World,
} from './world.js';

type Refused = (answer: Answer) => void;

const unauthorized =
  (message: string): Refused =>
  (answer) =>
    expectApplicationError(answer, 401, message);

const notProvided = unauthorized('Authorization header not provided');
const badKey = unauthorized('Invalid or expired API key');
const badSession = unauthorized('Invalid or expired session token');
const otherType = unauthorized('Token type not allowed for this route');
const notScoped: Refused = (answer) =>
  expectFrameworkError(answer, 403, 'API key must be project-scoped to access this endpoint', 'Forbidden');

const onKeyRoutes = endpoints.filter(({ access }) => access === 'project');
const onSessionRoutes = endpoints.filter(({ access }) => access === 'session');

/** Refused with each of these values of the Authorization header, however right the rest of the request is. */
type Cases = Readonly<Record<string, readonly [header: string | undefined, refused: Refused]>>;

describe('REST contract: credentials', () => {
  let world: World;
  let keys: Readonly<Record<'expired' | 'revoked' | 'cutOff' | 'otherSecret', string>>;

  before(async () => {
    world = await openWorld();
    keys = await badKeysOf(world);
  });
  after(() => world.close());

  const refuses = async (cases: Cases, endpoint: (typeof endpoints)[number]): Promise<void> => {
    for (const [name, [header, refused]] of Object.entries(cases))
      await inCase(name, async () => {
        const client = world.service.client(undefined);
        const sender = {
          ...client,
          send: (path: string, init: RequestInit = {}) =>
            client.send(path, {
              ...init,
              headers: {
                ...(init.headers as Record<string, string>),
                ...(header === undefined ? {} : { authorization: header }),
              },
            }),
        };
        refused(await call(sender, endpoint, idsOf(world.own, endpoint)));
        const wrong = {
          ...idsOf(world.own, endpoint),
          ...Object.fromEntries(parametersOf(endpoint).map((id) => [id, 'x'])),
        };
        refused(await call(sender, endpoint, wrong, endpoint.body && { unknown: 1 }));
      });
  };

  describe('an API key authorizes the requests of its project, and no others', () => {
    forEachEndpoint(onKeyRoutes, async (endpoint) => {
      const { apiKey, organizationKey, sessionToken } = world.own;
      const { expired, revoked, cutOff, otherSecret } = keys;
      const { accessToken } = done(
        await world.own.project.post('/actors', { name: 'Other', actorType: 'user' }),
      );
      const { signingKey } = done(await world.own.project.post('/signing-keys', { name: 'Other' }));
      await refuses(
        {
          'no header': [undefined, notProvided],
          'another scheme': [`Basic ${apiKey}`, badKey],
          'no scheme': [apiKey, badKey],
          'nothing after the scheme': ['Bearer', badKey],
          'two credentials': [`Bearer ${apiKey} ${apiKey}`, badKey],
          'no key at all': ['Bearer nonsense', badKey],
          'an unknown key': [`Bearer ak_live_0.${'a'.repeat(43)}`, badKey],
          'a key without its end': [`Bearer ${cutOff}`, badKey],
          'the secret of another key': [`Bearer ${otherSecret}`, badKey],
          'an expired key': [`Bearer ${expired}`, badKey],
          'a revoked key': [`Bearer ${revoked}`, badKey],
          'the access token of an actor': [`Bearer ${accessToken}`, badKey],
          'a signing key': [`Bearer ${signingKey}`, badKey],
          'the key of an organization': [`Bearer ${organizationKey}`, notScoped],
          'a session': [`Bearer ${sessionToken}`, otherType],
        },
        endpoint,
      );
    });
  });

  describe('a user session authorizes the requests of its organization, and no others', () => {
    forEachEndpoint(onSessionRoutes, async (endpoint) => {
      const { apiKey, organizationKey, sessionToken, ids } = world.own;
      const [header, , signature] = sessionToken.split('.');
      const operatorClaims = Buffer.from(
        JSON.stringify({ iss: 'roomwire', sub: 'eve', operator: true, exp: 4_000_000_000 }),
      ).toString('base64url');
      const unsigned = Buffer.from('{"alg":"none"}').toString('base64url');
      await refuses(
        {
          'no header': [undefined, notProvided],
          'another scheme': [`Basic ${sessionToken}`, badSession],
          'no scheme': [sessionToken, badSession],
          'nothing after the scheme': ['Bearer', badSession],
          'no token at all': ['Bearer nonsense', badSession],
          'an expired session': [`Bearer ${await sessionOf(ids.orgId, -1)}`, badSession],
          'a session signed by somebody else': [
            `Bearer ${await sessionOf(ids.orgId, 60, new Uint8Array(32).fill(8))}`,
            badSession,
          ],
          'a session with other claims': [`Bearer ${header}.${operatorClaims}.${signature}`, badSession],
          'a session without a signature': [`Bearer ${unsigned}.${operatorClaims}.`, badSession],
          'the key of a project': [`Bearer ${apiKey}`, otherType],
          'the key of an organization': [`Bearer ${organizationKey}`, otherType],
          'an expired key': [`Bearer ${keys.expired}`, otherType],
          'a revoked key': [`Bearer ${keys.revoked}`, otherType],
        },
        endpoint,
      );
    });
  });

  describe('a session of another organization gets 404', () => {
    const within = onSessionRoutes.filter(({ path }) => path.includes('{orgId}'));
    forEachEndpoint(within, async (endpoint) => {
      const stranger = world.service.client(world.foreign.sessionToken);
      expectApplicationError(
        await call(stranger, endpoint, idsOf(world.own, endpoint)),
        404,
        `Organization ${world.own.ids.orgId} not found`,
      );
    });
  });

  it('leaves everything unchanged after the refused requests', async () => {
    const { project } = world.own;
    for (const endpoint of endpoints.filter(({ method }) => method === 'GET'))
      done(await call(callerOf(world, endpoint), endpoint, idsOf(world.own, endpoint)));
    for (const path of ['/apps', '/scopes'])
      if (done(await project.get(path)).pagination.total !== 1)
        throw new Error(`Something was made at ${path}`);
    expect(world.service.logLines.filter(({ level }) => level === 'error')).to.eql([]);
  });
});

const badKeysOf = async ({ service: { operator }, own }: World) => {
  const path = `/organizations/${own.ids.orgId}/projects/${own.ids.projectId}/api-keys`;
  const expired = done(await operator.post(path, { name: 'Old', expiresAt: '2020-01-01T00:00:00Z' }));
  const revoked = done(await operator.post(path, { name: 'Revoked' }));
  done(await operator.delete(`${path}/${revoked.apiKeyId}`));
  const other = done(await operator.post(path, { name: 'Other' })).apiKey as string;
  const [keyId] = own.apiKey.split('.');
  return {
    expired: expired.apiKey,
    revoked: revoked.apiKey,
    cutOff: own.apiKey.slice(0, -1),
    otherSecret: `${keyId}.${other.split('.')[1]}`,
  };
};

import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { mintSessionToken } from '@roomwire/shared/credentials/sessionToken';
import { systemClock } from '@roomwire/shared/adapters/system/systemClock';
import type { Role } from '@roomwire/shared/domain/role';
import type { ApiClient } from '../../support/apiClient.js';
import type { Answer } from '../../support/conformance.js';
import { expectApplicationError, expectFrameworkError } from '../../support/shapes.js';
import { startTestService, type TestProject, type TestService } from '../../support/testService.js';

const sessionSecret = new Uint8Array(32).fill(7);

interface Operation {
  readonly method: string;
  readonly path: string;
  readonly access: 'apiKey' | 'session';
  /** What it says of the role that it needs. */
  readonly needs: string | undefined;
}

interface Description {
  readonly paths: Readonly<
    Record<string, Readonly<Record<string, { description?: string; security: readonly object[] }>>>
  >;
}

/** Every operation, as the service itself describes it. */
const operationsOf = async ({ baseUrl }: TestService): Promise<readonly Operation[]> => {
  const { paths } = (await (await fetch(`${baseUrl}/v1/openapi.json`)).json()) as Description;
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { description, security }]) => ({
      ...{ method: method.toUpperCase(), path, needs: description },
      access: security.some((scheme) => 'apiKey' in scheme) ? 'apiKey' : 'session',
    })),
  );
};

describe('Rights of callers', () => {
  let service: TestService;
  let operations: readonly Operation[];

  const session = async (organizationId: string, role?: Role, subject = 'ada'): Promise<ApiClient> => {
    const roles = role && { [organizationId]: role };
    const claims = { subject, organizationIds: [organizationId], isOperator: false, ...(roles && { roles }) };
    return service.client(await mintSessionToken(sessionSecret, claims, 60, systemClock));
  };
  /** Sends it without a body, to records that do not exist. */
  const attempt = (client: ApiClient, { method, path }: Operation, organizationId: string): Promise<Answer> =>
    client.send(path.replace('{orgId}', organizationId).replace(/\{\w+\}/g, randomUUID()), { method });
  const isWrite = ({ method }: Operation): boolean => method !== 'GET';
  const ofOrganization = ({ access, path }: Operation): boolean =>
    access === 'apiKey' || path.includes('{orgId}');

  before(async () => {
    service = await startTestService({ sessionSecret });
    operations = (await operationsOf(service)).filter(ofOrganization);
  });
  after(() => service.close());

  describe('of a suspended organization', () => {
    let project: TestProject;
    let ada: ApiClient;
    const path = () => `/organizations/${project.organizationId}`;
    const suspend = async (): Promise<void> => {
      const { status } = await service.operator.patch(path(), { status: 'suspended' });
      expect(status).to.equal(200);
    };
    const expectSuspended = (answer: Answer): void =>
      expectFrameworkError(answer, 403, 'Organization is suspended', 'Forbidden');

    beforeEach(async () => {
      project = await service.newProject();
      ada = await session(project.organizationId);
    });

    it('write nothing, by any operation', async () => {
      await suspend();
      for (const operation of operations.filter(isWrite))
        expectSuspended(
          await attempt(
            operation.access === 'apiKey' ? project.client : ada,
            operation,
            project.organizationId,
          ),
        );
    });

    it('go on reading', async () => {
      const { appId } = (await project.client.post('/apps', { name: 'A' })).body;
      await suspend();
      expect((await project.client.get(`/apps/${appId}`)).status).to.equal(200);
      const headers = { authorization: `Bearer ${project.apiKey}` };
      expect((await fetch(`${service.baseUrl}/v1/apps`, { method: 'HEAD', headers })).status).to.equal(200);
      expect((await ada.get(path())).body.status).to.equal('suspended');
      expect((await ada.get(`${path()}/webhook-dlq`)).status).to.equal(200);
    });

    it('are stopped and let go on by the very next request', async () => {
      for (let round = 0; round < 5; round += 1) {
        await suspend();
        expectSuspended(await project.client.post('/apps', { name: 'A' }));
        expectSuspended(await ada.post(`${path()}/projects`, { name: 'P' }));
        expect((await service.operator.patch(path(), { status: 'active' })).status).to.equal(200);
        expect((await project.client.post('/apps', { name: 'A' })).status).to.equal(201);
        expect((await ada.post(`${path()}/projects`, { name: 'P' })).status).to.equal(201);
      }
    });

    it('do not keep operators from writing', async () => {
      await suspend();
      const key = await service.operator.post(`${path()}/api-keys`, { name: 'Support' });
      expect(key.status).to.equal(201);
    });

    it('say nothing of it to strangers', async () => {
      await suspend();
      const stranger = await session(service.credentials.organizationId);
      expectApplicationError(
        await stranger.post(`${path()}/projects`, { name: 'P' }),
        404,
        `Organization ${project.organizationId} not found`,
      );
    });
  });

  describe('by their role', () => {
    const refusedTo = async (role: Role): Promise<readonly string[]> => {
      const { organizationId } = service.credentials;
      const client = await session(organizationId, role);
      const refused: string[] = [];
      for (const operation of operations.filter(({ access }) => access === 'session')) {
        const answer = await attempt(client, operation, organizationId);
        if (answer.status !== 403) continue;
        expect(answer.body.message).to.match(/^This needs the role (editor|admin) in the organization$/);
        expect(answer.body).to.have.all.keys('statusCode', 'message', 'error');
        refused.push(`${operation.method} ${operation.path}`);
      }
      return refused;
    };

    it('let viewers read, and editors write what does not decide who may do what', async () => {
      const needing = (...roles: Role[]) =>
        operations
          .filter(({ needs }) => roles.some((role) => needs?.includes(`\`${role}\``)))
          .map(({ method, path }) => `${method} ${path}`);
      // Access to the console is in the role of whoever asks for it.
      const writes = operations.filter(
        (operation) =>
          operation.access === 'session' && isWrite(operation) && !operation.path.endsWith('/console-access'),
      );
      expect(needing('editor', 'admin')).to.have.lengthOf(writes.length);
      expect(await refusedTo('viewer')).to.have.members(needing('editor', 'admin'));
      expect(await refusedTo('editor')).to.have.members(needing('admin'));
    });

    it('let admins, and sessions without a role, do all', async () => {
      expect(await refusedTo('admin')).to.eql([]);
      const { organizationId } = service.credentials;
      const other = (await service.newProject()).organizationId;
      const path = `/organizations/${organizationId}`;
      expect((await (await session(organizationId)).patch(path, { name: 'Mine' })).status).to.equal(200);
      const claims = { subject: 'ada', organizationIds: [organizationId, other], isOperator: false };
      const mixed = { ...claims, roles: { [other]: 'viewer' as const } };
      const both = service.client(await mintSessionToken(sessionSecret, mixed, 60, systemClock));
      expect((await both.patch(path, { name: 'Ours' })).status).to.equal(200);
      expectFrameworkError(
        await both.patch(`/organizations/${other}`, { name: 'Theirs' }),
        403,
        'This needs the role admin in the organization',
        'Forbidden',
      );
    });

    it('refuse a session whose roles are malformed', async () => {
      const { organizationId } = service.credentials;
      const claims = { subject: 'ada', organizationIds: [organizationId], isOperator: false };
      const roles = { [organizationId]: 'owner' as Role };
      const bad = service.client(
        await mintSessionToken(sessionSecret, { ...claims, roles }, 60, systemClock),
      );
      expectApplicationError(
        await bad.get(`/organizations/${organizationId}`),
        401,
        'Invalid or expired session token',
      );
    });
  });
});

import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { permissions, type Permission } from '@roomwire/shared/domain/permission';
import type { ApiClient } from '../../support/apiClient.js';
import { expectFrameworkError } from '../../support/shapes.js';
import { startTestService, type TestService } from '../../support/testService.js';

interface Operation {
  readonly method: string;
  readonly path: string;
  readonly needs: Permission;
}

interface Description {
  readonly paths: Readonly<Record<string, Readonly<Record<string, { description?: string }>>>>;
}

/** Every operation of API keys, with the permission that its description names. */
const operationsOf = async ({ baseUrl }: TestService): Promise<readonly Operation[]> => {
  const { paths } = (await (await fetch(`${baseUrl}/v1/openapi.json`)).json()) as Description;
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, { description = '' }]) => {
      const [, needs] = /Needs the permission `([^`]+)`/.exec(description) ?? [];
      return needs === undefined ? [] : [{ method: method.toUpperCase(), path, needs: needs as Permission }];
    }),
  );
};

describe('API keys with rights', () => {
  let service: TestService;
  let operations: readonly Operation[];

  before(async () => {
    service = await startTestService({ trustedProxies: 1 });
    operations = await operationsOf(service);
  });
  after(() => service.close());

  const keys = (): string => {
    const { organizationId, projectId } = service.credentials;
    return `/organizations/${organizationId}/projects/${projectId}/api-keys`;
  };
  const create = async (fields: object) => {
    const created = await service.operator.post(keys(), { name: 'K', ...fields });
    expect(created.status).to.equal(201);
    return created.body;
  };
  const listed = async (apiKeyId: string): Promise<object | undefined> => {
    const { data } = (await service.operator.get(`${keys()}?limit=100`)).body as {
      data: { apiKeyId: string }[];
    };
    return data.find((key) => key.apiKeyId === apiKeyId);
  };
  const clientWith = async (held: readonly Permission[]): Promise<ApiClient> =>
    service.client((await create({ permissions: held })).apiKey);
  /** Without a body, to records that do not exist. */
  const attempt = (client: ApiClient, { method, path }: Operation) =>
    client.send(path.replace(/\{\w+\}/g, randomUUID()), { method });

  it('are refused, route by route, what they lack, and nothing else', async () => {
    expect(operations).to.have.lengthOf(46);
    const needed = [...new Set(operations.map(({ needs }) => needs))];
    expect(needed).to.have.lengthOf(22);
    for (const needs of needed) {
      const includes = (held: Permission) => held === needs || held === needs.replace(':read', ':write');
      const only = await clientWith([needs]);
      const allBut = await clientWith(permissions.filter((held) => !includes(held)));
      for (const operation of operations.filter((one) => one.needs === needs)) {
        const what = `${operation.method} ${operation.path}`;
        expect((await attempt(only, operation)).status, what).to.not.equal(403);
        const message = `API key lacks the permission ${needs}`;
        expectFrameworkError(await attempt(allBut, operation), 403, message, 'Forbidden');
      }
    }
  });

  it('may read what they may write', async () => {
    const client = await clientWith(['rooms:write', 'apps:read']);
    expect((await client.get('/apps')).status).to.equal(200);
    const { appId } = (await service.project.post('/apps', { name: 'A' })).body;
    expect((await client.post(`/apps/${appId}/rooms`, { name: 'R' })).status).to.equal(201);
    expect((await client.get(`/apps/${appId}/rooms`)).status).to.equal(200);
    expect((await client.post('/apps', { name: 'B' })).status).to.equal(403);
  });

  it('are listed with their rights; without any they open everything, from everywhere', async () => {
    const rights = { permissions: ['history:read', 'apps:write'], allowedAddresses: ['10.0.0.0/8', '::1'] };
    const limited = await create(rights);
    expect(limited).to.deep.include(rights);
    const open = await create({});
    expect(open).to.deep.include({ permissions: null, allowedAddresses: null });
    expect(await listed(limited.apiKeyId)).to.deep.include(rights);
    expect(await listed(open.apiKeyId)).to.deep.include({ permissions: null, allowedAddresses: null });
  });

  describe('of some addresses', () => {
    const from = (client: ApiClient, forwardedFor?: string) =>
      client.send(
        '/apps',
        forwardedFor === undefined ? {} : { headers: { 'x-forwarded-for': forwardedFor } },
      );
    const limitedTo = async (...allowedAddresses: readonly string[]): Promise<ApiClient> =>
      service.client((await create({ allowedAddresses })).apiKey);
    const refused = async (client: ApiClient, forwardedFor?: string): Promise<void> =>
      expectFrameworkError(
        await from(client, forwardedFor),
        403,
        'Address not allowed for this API key',
        'Forbidden',
      );

    it('are taken from there alone', async () => {
      const client = await limitedTo('10.1.0.0/16', '2001:db8::/32', '192.0.2.7');
      for (const address of [
        '10.1.2.3',
        '::ffff:10.1.2.3',
        '2001:db8:1::9',
        '192.0.2.7',
        '1.1.1.1, 10.1.2.3',
      ])
        expect((await from(client, address)).status, address).to.equal(200);
      for (const address of ['10.2.0.1', '2001:db9::1', '192.0.2.8', '10.1.2.3, 1.1.1.1', undefined])
        await refused(client, address);
    });

    it('take a network of IPv4 that is written as IPv6 for what it is', async () => {
      const client = await limitedTo('::ffff:10.0.0.0/104');
      expect((await from(client, '10.9.9.9')).status).to.equal(200);
      await refused(client, '11.0.0.1');
    });

    it('are taken from the peer where it is no proxy', async () => {
      const client = await limitedTo('127.0.0.0/8');
      expect((await from(client)).status).to.equal(200);
      expect((await from(client, 'nonsense')).status).to.equal(200);
      await refused(client, '10.0.0.1');
    });

    it('are refused before they count as used, and before their permissions', async () => {
      const key = await create({ allowedAddresses: ['10.0.0.1'], permissions: ['rooms:read'] });
      await refused(service.client(key.apiKey));
      expect(await listed(key.apiKeyId)).to.deep.include({ lastUsedAt: null });
    });
  });
});

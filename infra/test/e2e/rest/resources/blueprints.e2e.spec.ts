import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { systemClock } from '@roomwire/shared/adapters/system/systemClock';
import { mintSessionToken } from '@roomwire/shared/credentials/sessionToken';
import type { ApiClient } from '../../../support/apiClient.js';
import {
  expectApplicationError,
  expectTime,
  expectUuid,
  expectValidationError,
} from '../../../support/shapes.js';
import { startTestService, type TestService } from '../../../support/testService.js';

const sessionSecret = new Uint8Array(32).fill(7);

describe('REST blueprints', () => {
  let service: TestService;
  let operator: ApiClient;
  let organizationId: string;
  let path: string;

  before(async () => void (service = await startTestService({ sessionSecret })));
  after(() => service.close());
  beforeEach(async () => {
    ({ operator } = service);
    ({ organizationId } = await service.newProject());
    path = `/organizations/${organizationId}/blueprints`;
  });

  const register = (body: object = {}) =>
    operator.post(path, { name: 'Support', version: '1.0.0', definition: {}, ...body });

  it('are registered with a first version', async () => {
    const { status, body } = await register();
    expect(status).to.equal(201);
    expectUuid(body.blueprintId);
    expectTime(body.createdAt);
    const { blueprintId, createdAt } = body;
    expect(body).to.eql({
      blueprintId,
      organizationId,
      name: 'Support',
      version: '1.0.0',
      versions: ['1.0.0'],
      createdAt,
      updatedAt: createdAt,
    });
    expect(await operator.get(`${path}/${blueprintId}`)).to.deep.include({ status: 200, body });
  });

  it('receive more versions by their id, and show the latest by semver', async () => {
    const { blueprintId } = (await register({ version: '1.9.0' })).body;
    for (const [version, latest] of [
      ['1.10.0', '1.10.0'],
      ['1.2.0', '1.10.0'],
      ['2.0.0-rc.1', '2.0.0-rc.1'],
      ['2.0.0', '2.0.0'],
    ]) {
      const { status, body } = await operator.post(path, { blueprintId, version, definition: {} });
      expect([status, body.version]).to.eql([201, latest]);
    }
    const { body } = await operator.get(`${path}/${String(blueprintId).toUpperCase()}`);
    expect(body.versions).to.eql(['1.2.0', '1.9.0', '1.10.0', '2.0.0-rc.1', '2.0.0']);
  });

  it('keep their name: a version is added with the same name, or without one', async () => {
    const { blueprintId } = (await register()).body;
    const more = (version: string, name: string) =>
      operator.post(path, { blueprintId, name, version, definition: {} });
    expect((await more('1.1.0', 'Support')).status).to.equal(201);
    expectValidationError(await more('1.2.0', 'Sales'), 'name');
    expect((await operator.get(`${path}/${blueprintId}`)).body.versions).to.eql(['1.0.0', '1.1.0']);
  });

  it('accept each version once: one of twenty equal requests succeeds', async () => {
    const { blueprintId } = (await register()).body;
    const add = (version: string) => operator.post(path, { blueprintId, version, definition: {} });
    const answers = await Promise.all(Array.from({ length: 20 }, () => add('1.1.0')));
    const message = `Blueprint ${blueprintId} already has a version 1.1.0`;
    const refused = answers.filter(({ status }) => status !== 201);
    expect(refused).to.have.length(19);
    for (const answer of refused) expectApplicationError(answer, 409, message);
    expectApplicationError(
      await add('1.0.0+build.2'),
      409,
      `Blueprint ${blueprintId} already has a version 1.0.0+build.2`,
    );
    expect((await operator.get(`${path}/${blueprintId}`)).body.versions).to.eql(['1.0.0', '1.1.0']);
  });

  it('name every failed constraint', async () => {
    expectValidationError(await operator.post(path, {}), 'name', 'version', 'definition');
    for (const version of ['1', 'v1.0.0', '01.0.0', '1.0.0-', 'latest', 1])
      expectValidationError(await register({ version }), 'version');
    expectValidationError(await register({ blueprintId: 'x', more: 1 }), 'blueprintId', 'more');
    expectValidationError(
      await register({
        definition: {
          slug: 'x',
          name: 'x',
          config: { accessMode: 'shut' },
          topics: ['a/b'],
          topicConfigs: { chat: { logging: { enabled: 1, retention: '2d' }, webhooks: { onPublish: {} } } },
          hydrationWebhook: { url: 'ftp://x' },
          rooms: [{ slug: 'A', topics: 'x', metadata: [], description: 1, more: 1 }],
        },
      }),
      'definition.slug',
      'definition.name',
      'definition.config.accessMode',
      'definition.topics.0',
      'definition.topicConfigs.chat.logging.enabled',
      'definition.topicConfigs.chat.logging.retention',
      'definition.topicConfigs.chat.webhooks.onPublish.url',
      'definition.hydrationWebhook.url',
      'definition.rooms.0.name',
      'definition.rooms.0.slug',
      'definition.rooms.0.topics',
      'definition.rooms.0.metadata',
      'definition.rooms.0.description',
      'definition.rooms.0.more',
    );
  });

  it('refuse rooms with equal slugs, too many rooms, and a definition that is too large', async () => {
    const rooms = [{ name: 'Lobby' }, { name: 'x', slug: 'lobby' }, { name: 'y' }, { name: 'Y' }];
    expectValidationError(
      await register({ definition: { rooms } }),
      'definition.rooms.1.slug',
      'definition.rooms.3.slug',
    );
    const many = Array.from({ length: 5001 }, (_, index) => ({ name: `r${index}` }));
    expectValidationError(await register({ definition: { rooms: many } }), 'definition.rooms');
    expectValidationError(await register({ definition: { files: 'x'.repeat(600_000) } }), 'definition');
  });

  it('belong to an organization', async () => {
    const { blueprintId } = (await register()).body;
    const other = await service.newProject();
    const theirs = `/organizations/${other.organizationId}/blueprints`;
    const message = `Blueprint ${blueprintId} not found`;
    expectApplicationError(await operator.get(`${theirs}/${blueprintId}`), 404, message);
    const version = { blueprintId, version: '2.0.0', definition: {} };
    expectApplicationError(await operator.post(theirs, version), 404, message);
    const nowhere = randomUUID();
    expectApplicationError(await operator.get(`${path}/${nowhere}`), 404, `Blueprint ${nowhere} not found`);
    expectApplicationError(await operator.get(`${path}/x`), 400, 'Invalid blueprintId UUID format');
    expect((await operator.get(theirs)).body.pagination.total).to.equal(0);
  });

  it('require a session of the organization, and refuse an API key', async () => {
    const session = async (...organizationIds: string[]): Promise<ApiClient> => {
      const claims = { subject: 'ada', organizationIds, isOperator: false };
      return service.client(await mintSessionToken(sessionSecret, claims, 60, systemClock));
    };
    const { blueprintId } = (await register()).body;
    const member = await session(organizationId);
    expect((await member.get(`${path}/${blueprintId}`)).status).to.equal(200);
    expect((await member.post(path, { name: 'x', version: '1.0.0', definition: {} })).status).to.equal(201);
    const stranger = await session(randomUUID());
    for (const answer of [
      await stranger.get(path),
      await stranger.get(`${path}/${blueprintId}`),
      await stranger.post(path, { name: 'x', version: '1.0.0', definition: {} }),
    ])
      expectApplicationError(answer, 404, `Organization ${organizationId} not found`);
    const message = 'Token type not allowed for this route';
    expectApplicationError(await service.project.get(path), 401, message);
    expectApplicationError(
      await service.client(undefined).get(path),
      401,
      'Authorization header not provided',
    );
  });

  it('are listed by page, newest first', async () => {
    for (const name of ['b', 'c', 'a']) await register({ name });
    const names = async (query: string): Promise<string[]> =>
      ((await operator.get(`${path}?${query}`)).body.data as { name: string }[]).map(({ name }) => name);
    expect(await names('')).to.eql(['a', 'c', 'b']);
    expect(await names('orderBy[]=name:ASC')).to.eql(['a', 'b', 'c']);
    expect(await names('limit=2&page=2')).to.eql(['b']);
    expect((await operator.get(`${path}?limit=2`)).body.pagination).to.eql({
      total: 3,
      page: 1,
      pageCount: 2,
    });
    expectValidationError(await operator.get(`${path}?page=0`), 'page');
  });
});

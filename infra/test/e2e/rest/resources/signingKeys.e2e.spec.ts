import { expect } from 'chai';
import type { ApiClient } from '../../../support/apiClient.js';
import {
  expectApplicationError,
  expectTime,
  expectUuid,
  expectValidationError,
} from '../../../support/shapes.js';
import { startTestService, type TestService } from '../../../support/testService.js';

const unknownId = '11111111-2222-4333-8444-555555555555';

describe('REST signing keys', () => {
  let service: TestService;
  let client: ApiClient;
  let projectId: string;

  before(async () => void (service = await startTestService()));
  after(() => service.close());
  beforeEach(async () => void ({ client, projectId } = await service.newProject()));

  const create = async (body: object = { name: 'Backend' }) =>
    (await client.post('/signing-keys', body)).body;

  it('creates a key and shows its secret only then', async () => {
    const { status, body } = await client.post('/signing-keys', { name: 'Backend' });
    expect(status).to.equal(201);
    const { signingKey, ...shown } = body;
    expect(signingKey).to.match(/^sk_live_[0-9a-f]{24}\.[A-Za-z0-9_-]{49}$/);
    expect((signingKey as string).split('.')[0]).to.equal(shown.keyId);
    expectUuid(shown.signingKeyId);
    expectTime(shown.createdAt);
    expect(shown).to.eql({
      signingKeyId: shown.signingKeyId,
      projectId,
      keyId: shown.keyId,
      name: 'Backend',
      status: 'active',
      lastUsedAt: null,
      createdAt: shown.createdAt,
      updatedAt: shown.createdAt,
    });
    expect((await client.get(`/signing-keys/${shown.signingKeyId}`)).body).to.eql(shown);
    expect((await client.get('/signing-keys')).body.data).to.eql([shown]);
  });

  it('never shows or logs a secret or a sealed secret again', async () => {
    const { signingKeyId, keyId, signingKey } = await create();
    const path = `/signing-keys/${signingKeyId}`;
    const answers = [
      await client.get('/signing-keys'),
      await client.get(path),
      await client.patch(path, { name: 'Other', status: 'disabled' }),
      await client.patch(path, {}),
    ];
    const text = JSON.stringify(answers.map(({ body }) => body as unknown));
    expect(text).to.include(keyId);
    expect(text).to.not.match(/sealed|cipher|masterKey|"iv"|"tag"|"signingKey"|createdPosition/);
    const secret = (signingKey as string).split('.')[1] ?? '';
    expect(text).to.not.include(secret);
    expect(JSON.stringify(service.logLines)).to.not.include(secret);
  });

  it('derives its prefix from the environment', async () => {
    for (const [environment, prefix] of [
      [undefined, 'sk_live_'],
      ['live', 'sk_live_'],
      ['sandbox', 'sk_sandbox_'],
    ] as const) {
      const { keyId, signingKey } = await create({ name: 'x', environment });
      expect(keyId).to.match(new RegExp(`^${prefix}[0-9a-f]{24}$`));
      expect((signingKey as string).startsWith(`${keyId}.`)).to.equal(true);
    }
  });

  it('names every failed constraint', async () => {
    expectValidationError(await client.post('/signing-keys', {}), 'name');
    expectValidationError(
      await client.post('/signing-keys', { name: '', environment: 'test', secret: 'mine' }),
      'name',
      'environment',
      'secret',
    );
    const path = `/signing-keys/${(await create()).signingKeyId}`;
    for (const fixed of ['signingKey', 'keyId', 'environment', 'sealedSecret'])
      expectValidationError(await client.patch(path, { [fixed]: 'x' }), fixed);
    expectValidationError(
      await client.patch(path, { name: 'x'.repeat(256), status: 'off' }),
      'name',
      'status',
    );
  });

  it('changes name and status, and accepts an empty PATCH as no change', async () => {
    const path = `/signing-keys/${(await create()).signingKeyId}`;
    const key = (await client.get(path)).body;
    const disabled = await client.patch(path, { name: 'Other', status: 'disabled' });
    expect(disabled.status).to.equal(200);
    expect(disabled.body).to.eql({
      ...key,
      name: 'Other',
      status: 'disabled',
      updatedAt: disabled.body.updatedAt,
    });
    expect((await client.patch(path, {})).body).to.eql(disabled.body);
    expect((await client.patch(path, { status: 'active' })).body).to.include({ status: 'active' });
  });

  it('deletes a key', async () => {
    const { signingKeyId } = await create();
    const path = `/signing-keys/${signingKeyId}`;
    const deleted = await client.delete(path);
    expect([deleted.status, deleted.body]).to.eql([204, undefined]);
    for (const answer of [
      await client.get(path),
      await client.patch(path, { name: 'x' }),
      await client.delete(path),
    ])
      expectApplicationError(answer, 404, `Signing key ${signingKeyId} not found`);
    expect((await client.get('/signing-keys')).body.pagination.total).to.equal(0);
  });

  it('answers 404 for a key of another project or an unknown one', async () => {
    const { signingKeyId } = await create();
    const other = await service.newProject();
    for (const id of [signingKeyId, unknownId]) {
      const path = `/signing-keys/${id}`;
      for (const answer of [
        await other.client.get(path),
        await other.client.patch(path, { name: 'x' }),
        await other.client.delete(path),
      ])
        expectApplicationError(answer, 404, `Signing key ${id} not found`);
    }
    expect((await other.client.get('/signing-keys')).body.data).to.eql([]);
    expect((await client.get(`/signing-keys/${signingKeyId}`)).body.name).to.equal('Backend');
    for (const method of ['GET', 'PATCH', 'DELETE'])
      expectApplicationError(
        await client.send('/signing-keys/x', { method }),
        400,
        'Invalid signingKeyId UUID format',
      );
  });

  it('is paged, ordered and filtered', async () => {
    const keys: { name: string; signingKeyId: string }[] = [];
    for (const name of ['Bravo', 'alpha', 'Charlie (a+)+$', 'delta', 'Bravo'])
      keys.push(await create({ name }));
    const names = async (query: string) => {
      const { status, body } = await client.get(`/signing-keys?${query}`);
      expect(status, query).to.equal(200);
      return (body.data as { name: string }[]).map(({ name }) => name);
    };
    expect(await names('')).to.eql(['Bravo', 'delta', 'Charlie (a+)+$', 'alpha', 'Bravo']);
    expect(await names('limit=2&page=2')).to.eql(['Charlie (a+)+$', 'alpha']);
    expect((await client.get('/signing-keys?limit=2')).body.pagination).to.eql({
      total: 5,
      page: 1,
      pageCount: 3,
    });
    expect(await names('orderBy[]=name:ASC&limit=2')).to.eql(['Bravo', 'Bravo']);
    expect(await names('name=rav')).to.eql(['Bravo', 'Bravo']);
    expect(await names(`name=${encodeURIComponent('(a+)+$')}`)).to.eql(['Charlie (a+)+$']);
    await client.patch(`/signing-keys/${keys[3]?.signingKeyId}`, { status: 'disabled' });
    expect(await names('status=disabled')).to.eql(['delta']);
    expect(await names('status=active&name=delta')).to.eql([]);
    expectValidationError(await client.get('/signing-keys?status=suspended'), 'status');
    expectValidationError(await client.get('/signing-keys?page=0'), 'page');
    expectValidationError(await client.get('/signing-keys?limit=abc'), 'limit');
    expectValidationError(await client.get('/signing-keys?orderBy=name:ASC'), 'orderBy');
    expectValidationError(await client.get('/signing-keys?orderBy[]=sealedSecret:ASC'), 'orderBy.0');
  });

  it('loses no field when different fields change concurrently', async () => {
    const path = `/signing-keys/${(await create()).signingKeyId}`;
    for (let round = 0; round < 10; round += 1) {
      const status = round % 2 === 0 ? 'disabled' : 'active';
      await Promise.all([client.patch(path, { name: `n${round}` }), client.patch(path, { status })]);
      expect((await client.get(path)).body).to.include({ name: `n${round}`, status });
    }
  });
});

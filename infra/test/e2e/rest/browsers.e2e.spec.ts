import { expect } from 'chai';
import { expectApplicationError } from '../../support/shapes.js';
import { startTestService, type TestService } from '../../support/testService.js';

const page = 'https://app.example.com';

const preflight = (service: TestService, origin: string, path = '/apps') =>
  service.client(undefined).send(path, {
    method: 'OPTIONS',
    headers: {
      'access-control-request-headers': 'authorization,content-type',
      'access-control-request-method': 'POST',
      origin,
    },
  });

const read = (service: TestService, origin: string, path = '/apps') =>
  service.project.send(path, { headers: { origin } });

describe('REST in browsers', () => {
  describe('security headers', () => {
    let service: TestService;
    before(async () => void (service = await startTestService()));
    after(() => service.close());

    const expected = {
      'cache-control': 'no-store',
      'content-security-policy': "default-src 'none';frame-ancestors 'none'",
      'cross-origin-opener-policy': 'same-origin',
      'cross-origin-resource-policy': 'same-origin',
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY',
    };

    it('are on every answer', async () => {
      const answers = [
        await service.project.get('/apps'),
        await service.project.post('/apps', { name: 'x' }),
        await service.project.post('/apps', { nothing: 'x' }),
        await service.client(undefined).get('/apps'),
        await service.project.get('/nowhere'),
      ];
      for (const { headers } of answers) {
        expect(Object.fromEntries(headers)).to.include(expected);
        for (const absent of [
          'x-powered-by',
          'server',
          'strict-transport-security',
          'access-control-allow-origin',
        ])
          expect(headers.has(absent), absent).to.equal(false);
      }
    });

    it('permit no other origin unless it is configured', async () => {
      expectApplicationError(await preflight(service, page), 404, 'Cannot OPTIONS /v1/apps');
      expect((await read(service, page)).headers.has('access-control-allow-origin')).to.equal(false);
    });
  });

  describe('pages of configured origins', () => {
    let service: TestService;
    before(
      async () => void (service = await startTestService({ corsOrigins: [page, 'http://localhost:3000'] })),
    );
    after(() => service.close());

    it('may send preflight requests', async () => {
      const { status, headers } = await preflight(service, page);
      expect(status).to.equal(204);
      expect(headers.get('access-control-allow-origin')).to.equal(page);
      expect(headers.get('access-control-allow-methods')).to.equal('GET,POST,PATCH,DELETE');
      expect(headers.get('access-control-allow-headers')).to.equal('Authorization,Content-Type,X-Request-Id');
      expect(headers.get('access-control-max-age')).to.equal('600');
      expect(headers.has('access-control-allow-credentials')).to.equal(false);
      expect(headers.get('vary')).to.match(/\bOrigin\b/);
    });

    it('may read answers and errors, with their headers', async () => {
      for (const path of ['/apps', '/apps/x', '/nowhere']) {
        const { headers } = await read(service, 'http://localhost:3000', path);
        expect(headers.get('access-control-allow-origin')).to.equal('http://localhost:3000');
        expect(headers.get('access-control-expose-headers')).to.equal('Retry-After,X-Request-Id');
      }
    });

    it('are the only ones that may', async () => {
      for (const other of [
        'https://evil.example.com',
        `${page}.evil.test`,
        'http://app.example.com',
        'null',
      ]) {
        expect((await preflight(service, other)).headers.has('access-control-allow-origin')).to.equal(false);
        const { status, headers } = await read(service, other);
        expect([status, headers.has('access-control-allow-origin')]).to.eql([200, false]);
        expect(headers.get('vary')).to.match(/\bOrigin\b/);
      }
    });
  });

  describe('pages of any origin', () => {
    it('may read answers where all origins are allowed', async () => {
      const service = await startTestService({ corsOrigins: '*' });
      const { headers } = await read(service, 'https://anything.test');
      expect(headers.get('access-control-allow-origin')).to.equal('*');
      expect((await preflight(service, 'null')).headers.get('access-control-allow-origin')).to.equal('*');
      await service.close();
    });
  });
});

import { gzipSync } from 'node:zlib';
import { expect } from 'chai';
import { startTestService, type TestService } from '../../support/testService.js';

/** Of the first page: the shell with everything that it is made of, and the overview. */
const mostBytes = 250 * 1_024;

describe('the page of the console', () => {
  let service: TestService;
  before(async () => void (service = await startTestService()));
  after(() => service.close());

  const read = (path: string, headers = {}) => fetch(`${service.baseUrl}${path}`, { headers });

  /** The files that the page names itself. */
  const named = async (): Promise<string[]> => {
    const page = await (await read('/console')).text();
    return Array.from(page.matchAll(/(?:src|href)="(\/console\/assets\/[^"]+)"/g), ([, path = '']) => path);
  };

  it('is the same at each of its addresses, is never cached, and loads nothing of others', async () => {
    for (const path of ['/console', '/console/', '/console/o/x/p/y/rooms']) {
      const { status, headers } = await read(path);
      expect(status, path).to.equal(200);
      expect(headers.get('content-type')).to.equal('text/html; charset=utf-8');
      expect(headers.get('cache-control')).to.equal('no-store');
      const policy = headers.get('content-security-policy');
      expect(policy).to.equal(
        "default-src 'none';script-src 'self';style-src 'self';img-src 'self' data:;font-src 'self';connect-src 'self';base-uri 'none';form-action 'none';frame-ancestors 'none'",
      );
    }
  });

  it('has files that are cached for good, and compressed where a browser can read that', async () => {
    const [path = ''] = await named();
    const { status, headers } = await read(path, { 'accept-encoding': 'gzip' });
    expect(status).to.equal(200);
    expect(Object.fromEntries(headers)).to.include({
      'cache-control': 'public, max-age=31536000, immutable',
      'content-encoding': 'gzip',
      vary: 'accept-encoding',
    });
    const plain = await read(path, { 'accept-encoding': 'identity' });
    expect(plain.headers.has('content-encoding')).to.equal(false);
    expect(await plain.text()).to.equal(await (await read(path)).text());
  });

  it('has no file of another name, and nothing of its folder', async () => {
    for (const path of [
      '/console/assets/nothing.js',
      '/console/assets/..%2findex.html',
      '/console/assets/index.html',
    ])
      expect((await read(path)).status, path).to.equal(404);
    expect((await fetch(`${service.baseUrl}/console`, { method: 'POST' })).status).to.equal(404);
  });

  it('is small: its first page is', async () => {
    const sizes = new Map<string, number>();
    const measure = async (path: string): Promise<void> => {
      if (sizes.has(path)) return;
      const text = await (await read(path)).text();
      sizes.set(path, gzipSync(text).byteLength);
      const imported = text.matchAll(/(?:from|import)\s*"\.\/([^"]+)"/g);
      for (const [, name = ''] of imported) await measure(`/console/assets/${name}`);
      for (const [, name = ''] of text.matchAll(/import\("\.\/(OverviewPage-[^"]+)"\)/g))
        await measure(`/console/assets/${name}`);
    };
    for (const path of ['/console', ...(await named())]) await measure(path);
    expect([...sizes.keys()].some((path) => path.includes('OverviewPage'))).to.equal(true);
    expect([...sizes.values()].reduce((sum, size) => sum + size, 0)).to.be.below(mostBytes);
  });
});

describe('the page of the console, elsewhere', () => {
  it('may connect to the gateway and the issuer that are configured, and is told the former', async () => {
    const service = await startTestService({
      consoleGatewayUrl: 'wss://gateway.test/ws?a=1&b="2"',
      consoleOidc: {
        ...{ issuer: 'https://issuer.test', clientId: 'console', scope: 'openid', audience: 'roomwire' },
        authorizationEndpoint: 'https://issuer.test/authorize',
        tokenEndpoint: 'https://tokens.test/token',
      },
    });
    try {
      const response = await fetch(`${service.baseUrl}/console`);
      const policy = response.headers.get('content-security-policy');
      expect(policy).to.include("connect-src 'self' https://tokens.test wss://gateway.test;");
      expect(await response.text()).to.include('content="wss://gateway.test/ws?a=1&amp;b=%222%22"');
    } finally {
      await service.close();
    }
  });

  it('is not served where it is switched off', async () => {
    const service = await startTestService({ console: false });
    try {
      expect((await fetch(`${service.baseUrl}/console`)).status).to.equal(404);
    } finally {
      await service.close();
    }
  });
});

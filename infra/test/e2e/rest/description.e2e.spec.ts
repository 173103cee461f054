import { expect } from 'chai';
import { startTestService, type TestService } from '../../support/testService.js';

describe('The description of the REST API', () => {
  let service: TestService;

  before(async () => void (service = await startTestService()));
  after(() => service.close());

  const get = (path: string, headers: Record<string, string> = {}) =>
    fetch(`${service.baseUrl}${path}`, { headers });

  const serverFor = async (headers: Record<string, string>): Promise<string> => {
    const { servers } = (await (await get('/v1/openapi.json', headers)).json()) as any;
    return servers[0].url;
  };

  it('is public, and names the requested address as its server', async () => {
    const response = await get('/v1/openapi.json');
    expect([response.status, response.headers.get('content-type')]).to.eql([
      200,
      'application/json; charset=utf-8',
    ]);
    const description = (await response.json()) as any;
    expect(description.openapi).to.match(/^3\.1\./);
    expect(description.servers).to.eql([{ url: `${service.baseUrl}/v1` }]);
  });

  it('uses the scheme that a proxy forwards', async () => {
    const { host } = new URL(service.baseUrl);
    expect(await serverFor({ 'x-forwarded-proto': 'https' })).to.equal(`https://${host}/v1`);
    expect(await serverFor({ 'x-forwarded-proto': 'javascript' })).to.equal(`http://${host}/v1`);
  });

  it('is accompanied by a public description of the socket', async () => {
    const response = await get('/v1/asyncapi.json');
    expect([response.status, response.headers.get('content-type')]).to.eql([
      200,
      'application/json; charset=utf-8',
    ]);
    const description = (await response.json()) as any;
    expect(description.asyncapi).to.equal('3.0.0');
    expect(description.channels.socket.address).to.equal('/ws');
  });

  it('is shown as a page whose assets are all served', async () => {
    const page = await get('/docs');
    expect([page.status, page.headers.get('content-type')]).to.eql([200, 'text/html; charset=utf-8']);
    const html = await page.text();
    const assets = [...html.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, address]) => address ?? '');
    expect(assets).to.include.members(['/docs/redoc.standalone.js', '/docs/page.js', '/docs/page.css']);
    for (const address of assets.filter((one) => one !== 'data:,')) {
      expect(address, 'another host').to.match(/^\/[^/]/);
      const asset = await get(address);
      expect([address, asset.status]).to.eql([address, 200]);
      const types: Record<string, RegExp> = {
        js: /javascript/,
        css: /^text\/css/,
        json: /^application\/json/,
      };
      expect(asset.headers.get('content-type')).to.match(types[address.split('.').at(-1) ?? ''] ?? /never/);
    }
    expect(await (await get('/docs/page.js')).text()).to.include("'/v1/openapi.json'");
  });

  it('forbids the page to load from other hosts', async () => {
    for (const path of ['/docs', '/docs/page.js', '/docs/redoc.standalone.js']) {
      const { headers } = await get(path);
      expect(headers.get('content-security-policy')).to.include("default-src 'none'");
      expect(headers.get('content-security-policy')).to.not.match(/https?:|\*|unsafe-eval/);
      expect(headers.get('x-content-type-options')).to.equal('nosniff');
    }
  });

  it('answers 404 for an unknown path', async () => {
    expect((await get('/docs/nothing.js')).status).to.equal(404);
    expect((await get('/docs/..%2f..%2fpackage.json')).status).to.equal(404);
  });
});

import { request } from 'node:http';
import { expect } from 'chai';
import { createRecordingLogger } from '@roomwire/testing/fakes/loggers';
import { openOpsServer, type OpsServer } from '../../src/observability/operations.js';

describe('the operations port', () => {
  let server: OpsServer;
  const { logger, lines } = createRecordingLogger();
  let show: () => Promise<string>;

  beforeEach(async () => {
    show = async () => 'up 1\n';
    const exposition = { contentType: 'text/plain; version=0.0.4', text: () => show() };
    server = await openOpsServer('127.0.0.1', 0, async () => exposition, logger);
  });
  afterEach(() => server.close());

  it('serves the metrics and nothing else', async () => {
    const answer = await fetch(`${server.url}?name=x`);
    expect([answer.status, await answer.text()]).to.eql([200, 'up 1\n']);
    expect(answer.headers.get('content-type')).to.equal('text/plain; version=0.0.4');
    const head = await fetch(server.url, { method: 'HEAD' });
    expect([head.status, await head.text()]).to.eql([200, '']);
    expect((await fetch(new URL('/', server.url))).status).to.equal(404);
    const posted = await fetch(server.url, { method: 'POST' });
    expect([posted.status, posted.headers.get('allow')]).to.eql([405, 'GET, HEAD']);
  });

  it('logs why a scrape failed', async () => {
    show = () => Promise.reject(new Error('broken'));
    expect((await fetch(server.url)).status).to.equal(500);
    expect(lines.at(-1)).to.deep.include({ level: 'error', message: 'Metrics could not be shown' });
  });

  it('finishes a scrape in progress when it is closed, and accepts no more', async () => {
    let go = (): void => undefined;
    let asked = (): void => undefined;
    const isAsked = new Promise<void>((resolve) => (asked = resolve));
    show = () =>
      new Promise((resolve) => {
        go = () => resolve('last 1\n');
        asked();
      });
    const answer = fetch(server.url);
    await isAsked;
    const closed = server.close();
    go();
    expect(await (await answer).text()).to.equal('last 1\n');
    await closed;
    const refused = await new Promise<NodeJS.ErrnoException>((resolve) =>
      request(server.url).on('error', resolve).end(),
    );
    expect(refused.code).to.equal('ECONNREFUSED');
  });
});

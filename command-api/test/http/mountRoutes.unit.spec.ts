import { expect } from 'chai';
import { once } from 'node:events';
import { createServer, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { systemRandom } from '@roomwire/shared/adapters/system/systemRandom';
import { mountRoutes } from '../../src/http/mountRoutes.js';
import { assignRequestId } from '../../src/http/request.js';
import { RequestMetrics } from '../../src/http/requestTelemetry.js';
import { Otherwise, projectRoute } from '../../src/http/route.js';
import * as s from '../../src/http/schema.js';

describe('a mounted route', () => {
  let server: Server;
  let now = 0;
  let authenticated: () => void;
  const whenAuthenticated = new Promise<void>((resolve) => (authenticated = resolve));

  const route = projectRoute({
    method: 'post',
    path: '/things',
    operationId: 'makeThing',
    permission: 'apps:write',
    tag: 'Apps',
    summary: 'Make a thing',
    body: s.object,
    status: 201,
    answer: s.object,
    otherwise: { status: 202, answer: s.strictObject({ later: s.flag() }), example: { later: true } },
    example: { body: {}, answer: {} },
    rejections: [],
    handle: async ({ body, ...taken }) =>
      'later' in body ? new Otherwise({ later: true }) : { now: taken.now },
  });

  before(async () => {
    const authenticator = {
      async project() {
        authenticated();
        return { organizationId: 'o1', projectId: 'p1', principal: 'apiKey:ak_live_1', permissions: null };
      },
      session: () => Promise.reject(new TypeError('No session route is mounted')),
    };
    const clock = { now: () => now, monotonic: () => now };
    const answerFailure = (error: unknown): void => expect.fail(String(error));
    const metrics = new RequestMetrics();
    const authorize = () => Promise.resolve();
    const deps = {
      ...{ authenticator, authorize, limitRate: () => undefined, clock, answerFailure, metrics },
      trustedProxies: 0,
    };
    const answer = mountRoutes([route], '/v1', deps);
    server = createServer((incoming, response) => {
      assignRequestId(incoming, response, systemRandom);
      expect(answer(incoming, response)).to.equal(true);
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
  });
  after(() => {
    server.close();
    server.closeAllConnections();
  });

  it('is dated when its body has arrived, however long that took', async () => {
    const slow = request({
      host: '127.0.0.1',
      port: (server.address() as AddressInfo).port,
      method: 'POST',
      path: '/v1/things',
      headers: { 'content-type': 'application/json', 'content-length': 2 },
    });
    slow.write('{');
    await whenAuthenticated;
    now = 200_000;
    slow.end('}');
    const [answer] = (await once(slow, 'response')) as [AsyncIterable<Buffer>];
    let body = '';
    for await (const chunk of answer) body += chunk.toString();
    expect(JSON.parse(body)).to.eql({ now: new Date(200_000).toISOString() });
  });

  it('may succeed in a second way', async () => {
    const { port } = server.address() as AddressInfo;
    const answer = await fetch(`http://127.0.0.1:${port}/v1/things`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{"later":1}',
    });
    expect([answer.status, await answer.json()]).to.eql([202, { later: true }]);
  });
});

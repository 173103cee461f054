import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { Agent, get } from 'node:https';
import { expect } from 'chai';
import type { ClientOptions } from 'ws';
import { FrameClient } from '@roomwire/testing/clients/frameClient';
import { eventually } from '@roomwire/testing/run/eventually';
import { readConfig } from '../../src/config/config.js';
import { startTestService, type TestService } from '../support/testService.js';
import { kinds, startBalancer, textOf, type Balancer } from './balancer.js';

const projects = Array.from({ length: 20 }, (_, index) => `project-${index}`);

/** In seconds, of `1h` and `30s`. */
const seconds = (text: string, pattern: RegExp): number => {
  const [, count, unit] = pattern.exec(text) ?? expect.fail(`There is no ${pattern}`);
  return Number(count) * (unit === 'h' ? 3_600 : 1);
};

/** How a client says its project: what it adds to the address, and to the request. */
type Way = (project: string) => { readonly query?: string; readonly headers?: Record<string, string> };

const ways: Readonly<Record<string, Way>> = {
  '`?project=`': (project) => ({ query: `?project=${project}` }),
  'a header': (project) => ({ headers: { 'X-Roomwire-Project': project } }),
  'the host': (project) => ({ headers: { Host: `${project}.rt.example.com` } }),
};

for (const kind of kinds)
  describe(`${kind.name} before two gateways`, function () {
    this.timeout(60_000);
    let gateways: TestService[];
    let tokens: string[];
    let balancer: Balancer;
    const clients: FrameClient[] = [];

    /** Two services that know nothing of one another, so that a token says which of them a client is at. */
    beforeEach(async () => {
      gateways = [
        await startTestService({ trustedProxies: 1 }),
        await startTestService({ trustedProxies: 1 }),
      ];
      tokens = await Promise.all(
        gateways.map(async ({ project }) => {
          const { body } = await project.post('/actors', { name: 'a', actorType: 'user' });
          return body.accessToken as string;
        }),
      );
      await balance('wide');
    });
    afterEach(async () => {
      for (const client of clients.splice(0)) client.terminate();
      await balancer.close();
      for (const gateway of gateways) await gateway.close();
    });

    const balance = async (bounds: 'narrow' | 'wide'): Promise<void> => {
      const [first = '', second = ''] = gateways.map(({ baseUrl }) => new URL(baseUrl).host);
      balancer = await startBalancer(kind, { gateways: [first, second], commandApi: first }, bounds);
    };

    const open = async (way: ReturnType<Way> = {}, options: ClientOptions = {}): Promise<FrameClient> => {
      const url = `wss://127.0.0.1:${balancer.port}/ws${way.query ?? ''}`;
      const trust = { ca: balancer.certificate, servername: 'rt.example.com' };
      const { headers = {} } = way;
      const client = await FrameClient.connect(url, { ...trust, headers, ...options });
      clients.push(client);
      return client;
    };

    /** 0 or 1. */
    const gatewayOf = async (client: FrameClient): Promise<number> => {
      for (const [index, token] of tokens.entries()) {
        const reply = await client.ask({ type: 'auth', token, protocolVersion: 2 });
        if (reply !== 'heartbeat' && reply['success'] === true) return index;
      }
      return expect.fail('No gateway knows its token');
    };

    const placed = async (way: ReturnType<Way>): Promise<number> => gatewayOf(await open(way));

    for (const [name, way] of Object.entries(ways))
      it(`brings all clients that say the same project by ${name} to one gateway, and projects to both`, async () => {
        const places: number[] = [];
        for (const project of projects) {
          const [first, second] = [await placed(way(project)), await placed(way(project))];
          expect(second, project).to.equal(first);
          places.push(first);
        }
        expect(new Set(places)).to.eql(new Set([0, 1]));
      });

    it('spreads those who say none', async () => {
      const places = new Set<number>();
      for (let count = 0; count < 24 && places.size < 2; count++) places.add(await placed({}));
      expect(places).to.eql(new Set([0, 1]));
    });

    it('goes on to the other gateway with a project that is too large for one', async () => {
      await balancer.close();
      await balance('narrow');
      const places: number[] = [];
      for (let count = 0; count < 8; count++) places.push(await placed({ query: '?project=large' }));
      expect(places[1]).to.equal(places[0]);
      expect(places).to.include(1 - (places[0] ?? 0));
    });

    it('sends what is not for gateways to command-api', async () => {
      const agent = new Agent({ ca: balancer.certificate, servername: 'rt.example.com' });
      const request = get({ port: balancer.port, path: '/v1/openapi.json', agent });
      const [{ statusCode }] = (await once(request, 'response')) as [IncomingMessage];
      agent.destroy();
      expect(statusCode).to.equal(200);
    });

    it('brings clients to the other gateway when theirs has ended, without one that fails', async () => {
      const way = { query: `?project=${projects[0]}` };
      const client = await open(way);
      const before = await gatewayOf(client);
      await gateways[before]?.close();
      expect(await client.closed).to.include({ code: 1012 });
      for (let count = 0; count < 3; count++) expect(await placed(way)).to.equal(1 - before);
    });

    it('names the address of a client, whatever the client says', async () => {
      const claimed = { 'X-Forwarded-For': '203.0.113.9' };
      const client = await open({ headers: claimed }, { localAddress: '127.0.0.2' });
      await client.ask({ type: 'auth', token: 'at_live_nobody.x', protocolVersion: 2 });
      const refused = () =>
        gateways.flatMap(({ logLines }) =>
          logLines.filter(({ message }) => message === 'A credential was refused'),
        );
      await eventually(() => refused().length > 0);
      expect(JSON.stringify(refused())).to.include('127.0.0.2').and.not.include('203.0.113.9');
    });

    it('waits longer for a silent client than a gateway does', () => {
      const text = textOf(kind.file);
      const waits = kind.name === 'nginx' ? ['proxy_read_timeout', 'proxy_send_timeout'] : ['timeout tunnel'];
      for (const wait of waits)
        expect(seconds(text, new RegExp(`${wait} (\\d+)(h|s)`)) * 1_000).to.be.above(
          readConfig({}).idleTimeoutMs,
        );
    });
  });

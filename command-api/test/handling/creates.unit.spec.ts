import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import { systemClock } from '@roomwire/shared/adapters/system/systemClock';
import { systemRandom } from '@roomwire/shared/adapters/system/systemRandom';
import { mintToken } from '@roomwire/shared/credentials/secretToken';
import type { EventLog } from '@roomwire/shared/ports/eventLog';
import { silentLogger } from '@roomwire/testing/fakes/loggers';
import { createCommandApi, type CommandApiDeps } from '../../src/commandApi.js';
import { openTemporaryLog } from '../support/temporaryLog.js';

const projectId = '00000000-0000-4000-8000-00000000000b';
const { keyId, token: apiKey, secretHash } = mintToken(systemRandom, 'ak_live');
const session = 'a.session.token';

/** What creates a resource with a stream of its own; `:organization` and `:project` have been made before. */
const creates = [
  { path: '/organizations', credential: session, body: { name: 'O' } },
  { path: '/organizations/:organization/projects', credential: session, body: { name: 'P' } },
  {
    path: '/organizations/:organization/projects/:project/api-keys',
    ...{ credential: session, body: { name: 'K' } },
  },
  {
    path: '/organizations/:organization/session-revocations',
    ...{ credential: session, body: { subject: 'ada' } },
  },
  { path: '/actors', credential: apiKey, body: { name: 'A', actorType: 'user' } },
  { path: '/signing-keys', credential: apiKey, body: { name: 'S' } },
  { path: '/revocations', credential: apiKey, body: { subject: 'ext:grace' } },
];

describe('a create whose id is drawn for it', () => {
  let server: Server;
  let closeLog: () => Promise<void>;
  const appended: string[] = [];
  const read: string[] = [];
  const made: Record<string, string> = {};

  before(async () => {
    const { log, close } = await openTemporaryLog();
    closeLog = close;
    const watched: EventLog = Object.assign(Object.create(log) as EventLog, {
      append(...args: Parameters<EventLog['append']>) {
        appended.push(args[0]);
        return log.append(...args);
      },
      readStream(stream: string, from?: number) {
        read.push(stream);
        return log.readStream(stream, from);
      },
    });
    const key = { ...{ apiKeyId: keyId, keyId, secretHash, projectId, permissions: null } };
    const views = {
      find: async (view: string) =>
        view === 'apiKeys' ? [{ ...key, organizationId: 'o1', allowedAddresses: null, expiresAt: null }] : [],
      get: async (view: string) =>
        view === 'projects' ? { projectId, organizationId: 'o1' } : { status: 'active' },
      reached: async () => true,
    };
    const operator = { subject: 'staff', principal: 'session:staff', organizationIds: [], isOperator: true };
    const used = {
      ...{ log: watched, views, clock: systemClock, random: systemRandom, logger: silentLogger },
      sessions: { verify: async () => ({ ...operator, roles: {} }) },
      secretBoxes: { signingKeys: { seal: () => 'sealed' } },
      lastUses: { used: () => undefined },
      accessRecorder: { refused: () => undefined },
      options: {
        ...{ messageRate: 0, trustedProxies: 0, corsOrigins: undefined, failedAuthDelayMs: 0 },
        rateLimit: { perSecond: 0, burst: 0 },
      },
    };
    // What the other routes need is not there.
    server = createServer(createCommandApi(used as unknown as CommandApiDeps));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const organization = await create('/organizations', session, { name: 'O' });
    made['organization'] = organization['organizationId'] as string;
    const project = await create('/organizations/:organization/projects', session, { name: 'P' });
    made['project'] = project['projectId'] as string;
  });
  after(async () => {
    server.close();
    server.closeAllConnections();
    await closeLog();
  });

  const create = async (
    path: string,
    credential: string,
    body: object,
  ): Promise<Readonly<Record<string, unknown>>> => {
    const { port } = server.address() as AddressInfo;
    const named = path.replace(/:(\w+)/g, (_, name: string) => made[name] as string);
    const response = await fetch(`http://127.0.0.1:${port}/v1${named}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${credential}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    const text = await response.text();
    expect(response.status, text).to.equal(201);
    return JSON.parse(text) as Readonly<Record<string, unknown>>;
  };

  for (const { path, credential, body } of creates)
    it(`is one append, and no read of its stream: POST ${path}`, async () => {
      appended.length = read.length = 0;
      await create(path, credential, body);
      expect(appended).to.have.length(1);
      expect(read).to.not.include(appended[0]);
    });
});

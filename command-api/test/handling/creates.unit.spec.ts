import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import { systemClock } from '@roomwire/shared/adapters/system/systemClock';
import { systemRandom } from '@roomwire/shared/adapters/system/systemRandom';
import { mintToken } from '@roomwire/shared/credentials/secretToken';
import type { EventLog } from '@roomwire/shared/ports/eventLog';
import { silentLogger } from '@roomwire/testing/fakes/loggers';
import { apiRoutes, createCommandApi, type ApiDeps, type CommandApiDeps } from '../../src/commandApi.js';
import { openTemporaryLog } from '../support/temporaryLog.js';

const { keyId, token: apiKey, secretHash } = mintToken(systemRandom, 'ak_live');
const session = 'a.session.token';

type Fields = Readonly<Record<string, unknown>>;

/** The body of each create whose id is drawn for it, and which begins a stream of its own. */
const ownStreams: Readonly<Record<string, Fields>> = {
  createOrganization: { name: 'O' },
  createProject: { name: 'P' },
  createApiKey: { name: 'K' },
  createOrganizationApiKey: { name: 'K' },
  revokeSessions: { subject: 'ada' },
  giveConsoleAccess: {},
  registerBlueprint: { name: 'B', version: '1.0.0', definition: { rooms: [{ name: 'Lobby' }] } },
  createActor: { name: 'A', actorType: 'user' },
  createSigningKey: { name: 'S' },
  revokeTokens: { subject: 'ext:grace' },
};

/** Those that join a stream of many, by the number of the attempt: they read it once, and then while nobody else writes it no more. */
const sharedStreams: Readonly<Record<string, (attempt: number) => Fields>> = {
  createApp: () => ({ name: 'A' }),
  createRoom: (attempt) => ({ name: 'R', slug: `r-${attempt}` }),
  createRoomGrant: (attempt) => ({
    ...{ actorType: ['user', 'device', 'service'][attempt], permission: 'pubSub' },
  }),
  createScope: (attempt) => ({ name: 'S', slug: `s-${attempt}` }),
  createWebhookSecret: () => ({ name: 'W' }),
};

/** What they create is with the gateways; the event is for the audit. */
const elsewhere = ['createJobGroup'];

// Routes are only looked at, never called.
const creates = apiRoutes({} as ApiDeps).filter(({ method, status }) => method === 'post' && status === 201);

describe('a create', () => {
  let server: Server;
  let closeLog: () => Promise<void>;
  const appended: string[] = [];
  const read: string[] = [];
  /** By the name that paths have for them. */
  const made: Record<string, string> = { orgId: '', projectId: '', appId: '', roomId: '' };

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
    const owner = () => ({ organizationId: made['orgId'], projectId: made['projectId'] });
    const key = {
      apiKeyId: keyId,
      keyId,
      secretHash,
      permissions: null,
      allowedAddresses: null,
      expiresAt: null,
    };
    const views = {
      find: async (view: string) => (view === 'apiKeys' ? [{ ...key, ...owner() }] : []),
      get: async (view: string) => (view === 'projects' ? owner() : { status: 'active' }),
      reached: async () => true,
    };
    const operator = { subject: 'staff', principal: 'session:staff', organizationIds: [], isOperator: true };
    const inAnHour = Math.floor(Date.now() / 1_000) + 3_600;
    const box = { seal: () => 'sealed' };
    const used = {
      ...{ log: watched, views, clock: systemClock, random: systemRandom, logger: silentLogger },
      sessions: { verify: async () => ({ ...operator, roles: {}, expiresAt: inAnHour }) },
      consoleCredentials: { mintKey: () => 'ck_live_x', mintToken: () => 'a.client.token' },
      secretBoxes: { signingKeys: box, webhookSecrets: box },
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
    made['orgId'] = (await create('createOrganization', { name: 'O' }))['organizationId'] as string;
    made['projectId'] = (await create('createProject', { name: 'P' }))['projectId'] as string;
    made['appId'] = (await create('createApp', { name: 'A' }))['appId'] as string;
    made['roomId'] = (await create('createRoom', { name: 'R' }))['roomId'] as string;
  });
  after(async () => {
    server.close();
    server.closeAllConnections();
    await closeLog();
  });

  const create = async (operation: string, body: Fields): Promise<Fields> => {
    const route = creates.find(({ operationId }) => operationId === operation);
    if (route === undefined) throw new Error(`There is no ${operation}`);
    const { port } = server.address() as AddressInfo;
    const path = route.path.replace(/\{(\w+)\}/g, (_, name: string) => made[name] as string);
    const response = await fetch(`http://127.0.0.1:${port}/v1${path}`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${route.access === 'session' ? session : apiKey}`,
        'content-type': 'application/json',
      },
      body: JSON.stringify(body),
    });
    const text = await response.text();
    expect(response.status, text).to.equal(201);
    return JSON.parse(text) as Fields;
  };

  const watch = (): void => void (appended.length = read.length = 0);

  for (const [operation, body] of Object.entries(ownStreams))
    it(`is one append, and no read of its stream, where its id is drawn for it: ${operation}`, async () => {
      watch();
      await create(operation, body);
      expect(appended).to.have.length(1);
      expect(read).to.not.include(appended[0]);
    });

  for (const [operation, bodyOf] of Object.entries(sharedStreams))
    it(`is one append, and no read, in a stream that this process has written: ${operation}`, async () => {
      await create(operation, bodyOf(0));
      watch();
      await create(operation, bodyOf(1));
      expect(appended).to.have.length(1);
      // The room of a grant is looked up in the stream that gets it.
      if (operation !== 'createRoomGrant') expect(read).to.not.include(appended[0]);
    });

  it('of an app with rooms of its blueprint is one append for the rooms, and one for the app', async () => {
    const blueprint = await create('registerBlueprint', ownStreams['registerBlueprint'] as Fields);
    watch();
    const { appId } = await create('createApp', { name: 'A', blueprintId: blueprint['blueprintId'] });
    expect(appended).to.eql([`rooms-${appId as string}`, `apps-${made['projectId']}`]);
    expect(read).to.not.include(appended[0]);
  });

  it('of any kind is among these', () => {
    const tested = [...Object.keys(ownStreams), ...Object.keys(sharedStreams), ...elsewhere];
    expect(tested).to.have.members(creates.map(({ operationId }) => operationId));
  });
});

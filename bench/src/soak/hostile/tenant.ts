import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { inTurn } from '../../generator/pace.js';
import { makeProject, restSender, roomwireApi } from '../../peers/roomwire.js';
import type { SoakedService } from '../service.js';

/** What a hostile tenant has, made by REST like everything else. Every field goes to another process. */
export interface HostileTenant {
  readonly port: number;
  readonly organizationId: string;
  readonly apiKey: string;
  readonly sessionToken: string;
  /** Access tokens. The agents have persistent sessions. */
  readonly users: readonly string[];
  readonly agents: readonly string[];
  /** A private app of many rooms, in none of which an actor has a grant. */
  readonly privateApp: string;
  /** Open rooms for floods. */
  readonly openApp: string;
  /** Its trigger webhook only ever fails. */
  readonly failingApp: string;
  /** Its trigger webhook never answers. */
  readonly hangingApp: string;
  readonly rooms: readonly string[];
  /** An app whose record is large, and has been changed often. */
  readonly largeAppId: string;
}

const atOnce = 16;
const privateRooms = 5_000;
const openRooms = 200;
/** Most of them only make lists long. */
const actors = 20_000;
const agents = 20;
const largeBytes = 800_000;
const changes = 300;

/** A webhook endpoint that fails at once at `/fail`, and never answers anywhere else. */
export const startBadEndpoint = async (): Promise<{ readonly url: string; close(): void }> => {
  const server = createServer((request, response) => {
    request.resume();
    if (request.url === '/fail') response.writeHead(500).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
};

/** An organization of its own, with everything that the attacks need. */
export const makeHostileTenant = async (
  { port, credentials }: SoakedService,
  endpointUrl: string,
): Promise<HostileTenant> => {
  const { sessionToken } = credentials;
  const { organizationId, apiKey } = await makeProject(port, sessionToken, 'Hostile');
  const send = restSender(port, apiKey);
  const api = roomwireApi({ port, credentials: { apiKey } });
  const appOf = async (rooms: number, fields: Readonly<Record<string, unknown>>): Promise<string> => {
    const { appId, slug } = await api.createApp('flood', fields);
    await inTurn(rooms, atOnce, (index) => api.createRoom(appId, `room-${index}`));
    return slug;
  };
  const triggering = (path: string) => ({ triggerWebhook: { url: `${endpointUrl}${path}` } });
  const large = await api.createApp('flood', { config: { text: 'x'.repeat(largeBytes) } });
  for (let change = 0; change < changes; change += 1)
    await send('PATCH', `/apps/${large.appId}`, { description: `change ${change}` });
  return {
    ...{ port, organizationId, apiKey, sessionToken },
    privateApp: await appOf(privateRooms, { config: { accessMode: 'private' } }),
    openApp: await appOf(openRooms, {}),
    failingApp: await appOf(1, triggering('/fail')),
    hangingApp: await appOf(1, triggering('/hang')),
    rooms: Array.from({ length: openRooms }, (_, index) => `room-${index}`),
    largeAppId: large.appId,
    agents: await api.createActors(agents, 'agent'),
    users: await api.createActors(actors, 'user'),
  };
};

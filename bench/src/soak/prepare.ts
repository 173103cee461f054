import { roomwireApi } from '../peers/roomwireApi.js';
import { agentsAmong, staffNeeded, type Tokens } from './crowd.js';
import type { Findings } from './findings.js';
import type { Ledger } from './ledger.js';
import { makePlace, topicNames, type Place } from './rooms.js';
import type { SoakedService } from './service.js';

/** Makes the app, its rooms and all actors by REST. */
export const prepare = async (
  service: SoakedService,
  { clients, rooms }: { readonly clients: number; readonly rooms: number },
  ledger: Ledger,
  findings: Findings,
): Promise<{ readonly place: Place; readonly tokens: Tokens }> => {
  const api = roomwireApi(service);
  const logging = { enabled: true, retention: '1d' };
  const { appId, slug } = await api.createApp('chat', {
    topics: topicNames,
    topicConfigs: { tasks: { logging } },
  });
  const slugs = Array.from({ length: rooms }, (_, index) => `room-${index}`);
  for (const room of slugs) await api.createRoom(appId, room);
  const agents = agentsAmong(clients);
  const tokens = {
    agents: await api.createActors(agents, 'agent'),
    users: await api.createActors(clients - agents, 'user'),
    staff: await api.createActors(staffNeeded, 'service'),
  };
  return { place: makePlace(slug, slugs, ledger, findings), tokens };
};

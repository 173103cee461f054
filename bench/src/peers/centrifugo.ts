import { freePort } from '@roomwire/testing/run/freePort';
import { startCommand, whenReady } from '../process/children.js';
import { centrifugoProgram } from './goPrograms.js';
import type { RunningPeer } from './startPeer.js';

/** Of the access tokens of its clients, and of who asks its API: nothing here is worth protecting. */
export const centrifugoSecret = 'measured-beside-roomwire';

const settingsOf = (port: number): Readonly<Record<string, string>> => ({
  HTTP_SERVER_ADDRESS: '127.0.0.1',
  HTTP_SERVER_PORT: String(port),
  HTTP_API_KEY: centrifugoSecret,
  HEALTH_ENABLED: 'true',
  HEALTH_HANDLER_PREFIX: '/readyz',
  LOG_LEVEL: 'error',
  USAGE_STATS_ENABLED: 'false',
  CLIENT_TOKEN_HMAC_SECRET_KEY: centrifugoSecret,
  CLIENT_PING_INTERVAL: '24h',
  CLIENT_STALE_CLOSE_DELAY: '10m',
  CHANNEL_WITHOUT_NAMESPACE_ALLOW_SUBSCRIBE_FOR_CLIENT: 'true',
  CHANNEL_WITHOUT_NAMESPACE_ALLOW_PUBLISH_FOR_CLIENT: 'true',
});

/** Undefined where it cannot be built, which it says. */
export const startCentrifugo = async (
  core: number | undefined,
  say: (progress: string) => void,
): Promise<RunningPeer | undefined> => {
  const program = await centrifugoProgram(say);
  if (program === undefined) return undefined;
  const [port, startedAt] = [await freePort(), performance.now()];
  const settings = Object.entries(settingsOf(port));
  const env = Object.fromEntries(settings.map(([name, value]) => [`CENTRIFUGO_${name}`, value]));
  const child = startCommand(program, [], { core, env });
  await whenReady(child, port, startedAt);
  return { port, processId: child.processId, stop: () => child.stop() };
};

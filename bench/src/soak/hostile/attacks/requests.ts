import { request } from 'node:http';
import type { HostileTenant } from '../tenant.js';
import { type Attack, type AttackContext, repeatedly } from './attack.js';

interface HostileRequest {
  readonly method?: string;
  readonly path: string;
  readonly token: string;
  readonly body?: string;
}

const ask = (
  { tenant: { port }, count, signal }: AttackContext,
  from: string,
  asked: HostileRequest,
): Promise<void> =>
  new Promise((resolve) => {
    const { method = 'GET', path, token, body } = asked;
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const sent = request(
      { host: '127.0.0.1', port, localAddress: from, method, path: `/v1${path}`, headers, signal },
      (response) => {
        count(`HTTP ${response.statusCode}`);
        response.resume().once('close', resolve);
      },
    );
    sent.once('error', () => resolve());
    sent.end(body);
  });

const manyKeys = JSON.stringify(
  Object.fromEntries(Array.from({ length: 90_000 }, (_, key) => [`k${key}`, 0])),
);

const attack = (
  name: string,
  from: string,
  perSecond: number,
  requestOf: (tenant: HostileTenant) => HostileRequest,
  met?: string,
): Attack => ({
  name,
  ...(met === undefined ? {} : { met }),
  run: (context) =>
    repeatedly(perSecond, context.signal, () => ask(context, from, requestOf(context.tenant))),
});

/** What a tenant asks of the REST API. */
export const requestAttacks: readonly Attack[] = [
  attack('state of a large record', '127.0.0.20', 1, ({ organizationId, largeAppId, sessionToken }) => ({
    path: `/organizations/${organizationId}/audit/state?resourceId=${largeAppId}`,
    token: sessionToken,
  })),
  attack('list of all actors', '127.0.0.21', 0.5, ({ apiKey }) => ({ path: '/actors', token: apiKey })),
  attack('sorted list', '127.0.0.22', 5, ({ apiKey }) => ({
    path: '/apps?orderBy[]=name:DESC&limit=100',
    token: apiKey,
  })),
  attack(
    'body of many keys',
    '127.0.0.23',
    1,
    ({ apiKey }) => ({ method: 'POST', path: '/actors', token: apiKey, body: manyKeys }),
    'HTTP 400',
  ),
  attack(
    'guessed API keys',
    '127.0.0.24',
    20,
    () => ({ path: '/apps', token: `ak_live_guessed.${'x'.repeat(43)}` }),
    'HTTP 401',
  ),
];

import { readdir, readFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import type { Config } from '../config/config.js';
import { failure, ok, warning, type Finding } from '../engines/finding.js';
import { judgeFiles } from './rules.js';

/** Of a process that runs, or of one that this one would start. */
export const checkOpenFiles = async (owner: number | undefined): Promise<readonly Finding[]> => {
  const folder = `/proc/${owner ?? 'self'}`;
  const limits = await readFile(`${folder}/limits`, 'utf8').catch(() => '');
  // Node raises the soft limit to the hard one when it starts.
  const [, soft, hard] = /^Max open files +(\d+|unlimited) +(\d+|unlimited)/m.exec(limits) ?? [];
  const limit = Number((owner === undefined ? hard : soft)?.replace('unlimited', 'Infinity'));
  if (Number.isNaN(limit)) return [];
  const open =
    owner === undefined ? undefined : (await readdir(`${folder}/fd`).catch(() => undefined))?.length;
  return [judgeFiles(limit, open)];
};

const answersWithinMs = 3_000;

/** Whether Roomwire serves on its port, or could. */
export const checkPort = async ({ host, port }: Config, owner: number | undefined): Promise<Finding> => {
  if (port === 0) return ok('port', 'a free one is taken at the start');
  const reachable = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '[::1]' : bracketed(host);
  const alive = await statusOf(`http://${reachable}:${port}/healthz`);
  if (alive === 200) {
    const isReady = (await statusOf(`http://${reachable}:${port}/readyz`)) === 200;
    return isReady
      ? ok('port', `Roomwire serves on ${host}:${port}`)
      : failure(
          'port',
          `Roomwire lives on ${host}:${port} and is not ready`,
          'See which engine does not answer, below',
        );
  }
  const refusal = await bind(host, port);
  if (refusal === undefined && owner !== undefined)
    return warning(
      'port',
      `process ${owner} has the data folder and does not serve on ${host}:${port}`,
      'Run the doctor with the ROOMWIRE_HOST and ROOMWIRE_PORT of the service, or see its log lines',
    );
  if (refusal === undefined) return ok('port', `${host}:${port} is free`);
  return refusal === 'EADDRINUSE'
    ? failure('port', `${host}:${port} is taken by another program`, 'End it, or set ROOMWIRE_PORT')
    : failure(
        'port',
        `${host}:${port} cannot be listened on (${refusal})`,
        'Set ROOMWIRE_HOST and ROOMWIRE_PORT',
      );
};

const bracketed = (host: string): string => (host.includes(':') ? `[${host}]` : host);

const statusOf = async (url: string): Promise<number | undefined> => {
  try {
    const { status } = await fetch(url, { signal: AbortSignal.timeout(answersWithinMs) });
    return status;
  } catch {
    return undefined;
  }
};

/** The code of why it cannot be; undefined where it can. */
const bind = (host: string, port: number): Promise<string | undefined> =>
  new Promise((resolve) => {
    const server = createServer();
    server.once('error', ({ code = 'unknown' }: NodeJS.ErrnoException) => resolve(code));
    server.listen(port, host, () => server.close(() => resolve(undefined)));
  });

import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { eventually } from '@roomwire/testing/run/eventually';
import { freePort } from '@roomwire/testing/run/freePort';
import { temporaryFolder } from '@roomwire/testing/run/temporaryFolder';

const folder = new URL('../../../load-balancers/', import.meta.url);
export const textOf = (name: string): string => readFileSync(new URL(name, folder), 'utf8');

export interface Balancer {
  readonly port: number;
  /** To be trusted by clients. */
  readonly certificate: string;
  close(): Promise<void>;
}

interface Certificate {
  readonly certificate: string;
  readonly key: string;
}

/** `host:port` of what stands behind it. */
export interface Behind {
  readonly gateways: readonly [string, string];
  readonly commandApi: string;
}

interface Kind {
  readonly name: string;
  readonly file: string;
  /** What bounds a gateway, and other values of it: one that few connections reach, and one that they do not. */
  readonly bound: { readonly text: string; readonly narrow: string; readonly wide: string };
  /** Writes what it needs to the folder; returns how it is started. */
  prepare(to: string, configuration: string, files: Certificate): Promise<readonly string[]>;
}

export const kinds: readonly Kind[] = [
  {
    name: 'nginx',
    file: 'nginx.conf',
    bound: { text: 'max_conns=50000', narrow: 'max_conns=4', wide: 'max_conns=50000' },
    prepare: async (to, configuration, { certificate, key }) => {
      const [pem, keyFile, site, main] = ['roomwire.pem', 'roomwire.key', 'site.conf', 'main.conf'].map(
        (name) => join(to, name),
      ) as [string, string, string, string];
      await writeFile(pem, certificate);
      await writeFile(keyFile, key);
      await writeFile(site, configuration.replaceAll('/etc/nginx', to));
      const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];
      const paths = temporary.map((name) => `${name}_temp_path ${join(to, name)};`).join(' ');
      const http = `http { access_log off; ${paths} include ${site}; }`;
      await writeFile(main, `daemon off; pid ${join(to, 'pid')}; error_log stderr; events {} ${http}\n`);
      return ['/usr/sbin/nginx', '-e', 'stderr', '-c', main];
    },
  },
  {
    name: 'HAProxy',
    file: 'haproxy.cfg',
    // Half as many again as the average of two is soon reached, when there are only a few.
    bound: {
      text: 'hash-balance-factor 150',
      narrow: 'hash-balance-factor 150',
      wide: 'hash-balance-factor 10000',
    },
    prepare: async (to, configuration, { certificate, key }) => {
      await writeFile(join(to, 'roomwire.pem'), certificate + key);
      const file = join(to, 'haproxy.cfg');
      // A test may open fewer files than a balancer in production.
      await writeFile(
        file,
        configuration.replaceAll('/etc/haproxy', to).replace('maxconn 100000', 'maxconn 200'),
      );
      return ['/usr/sbin/haproxy', '-db', '-f', file];
    },
  },
];

const makeCertificate = async (to: string): Promise<Certificate> => {
  const [out, keyout] = [join(to, 'made.pem'), join(to, 'made.key')];
  const names = 'subjectAltName=IP:127.0.0.1,DNS:rt.example.com,DNS:*.rt.example.com';
  const kind = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2'];
  const said = ['-subj', '/CN=rt.example.com', '-addext', names, '-out', out, '-keyout', keyout];
  await promisify(execFile)('openssl', ['req', '-x509', ...kind, ...said]);
  return { certificate: await readFile(out, 'utf8'), key: await readFile(keyout, 'utf8') };
};

const listens = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => resolve(true)).on('error', () => resolve(false));
    socket.once('connect', () => socket.destroy());
  });

/** The configuration as it is in the repository, but for addresses and paths. */
export const startBalancer = async (
  kind: Kind,
  { gateways, commandApi }: Behind,
  bounds: 'narrow' | 'wide',
): Promise<Balancer> => {
  const { path, remove } = await temporaryFolder();
  const port = await freePort();
  const configuration = textOf(kind.file)
    .replaceAll(kind.bound.text, kind.bound[bounds])
    .replace(/(?<=listen |bind )\S*443/, `127.0.0.1:${port}`)
    .replaceAll('gateway-1.internal:8080', gateways[0])
    .replaceAll('gateway-2.internal:8080', gateways[1])
    .replaceAll('command-api-1.internal:8080', commandApi);
  const files = await makeCertificate(path);
  const [command = '', ...args] = await kind.prepare(path, configuration, files);
  const child = spawn(command, args, { stdio: ['ignore', 'ignore', 'pipe'] });
  let said = '';
  child.stderr.on('data', (bytes: Buffer) => (said += bytes.toString()));
  const gone = once(child, 'close');
  await eventually(
    () => {
      if (child.exitCode !== null) throw new Error(`${kind.name} has ended: ${said}`);
      return listens(port);
    },
    { withinMs: 30_000, what: `${kind.name} to listen` },
  );
  return {
    port,
    certificate: files.certificate,
    close: async () => {
      child.kill('SIGTERM');
      await gone;
      await remove();
    },
  };
};

import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { copyFile, mkdir, readdir, readFile } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { cachedFolder } from './cachedFolder.js';
import { runToEnd } from './childProcess.js';
import { go, requireGo } from './goToolchain.js';

const sources = fileURLToPath(new URL('../../../engines/kubernetes/', import.meta.url));

/** Modules that bring the definitions of the custom resources that the manifests have. */
const definitions = [
  {
    module: 'sigs.k8s.io/gateway-api@v1.6.3',
    folder: 'config/crd/standard',
    files: ['gateway.networking.k8s.io_gateways.yaml', 'gateway.networking.k8s.io_httproutes.yaml'],
  },
  {
    module: 'github.com/envoyproxy/gateway@v1.9.1',
    folder: 'charts/gateway-helm/charts/crds/crds/generated',
    files: [
      'gateway.envoyproxy.io_backendtrafficpolicies.yaml',
      'gateway.envoyproxy.io_clienttrafficpolicies.yaml',
    ],
  },
] as const;

const build = async (folder: string): Promise<void> => {
  await mkdir(join(folder, 'definitions'));
  for (const { module, folder: within, files } of definitions) {
    const { Dir } = JSON.parse(await go(sources, 'mod', 'download', '-json', module)) as { Dir: string };
    for (const file of files) await copyFile(join(Dir, within, file), join(folder, 'definitions', file));
  }
  const programs = { check: '.', helm: 'helm.sh/helm/v3/cmd/helm' };
  for (const [name, path] of Object.entries(programs))
    await runToEnd('go', ['-C', sources, 'build', '-o', join(folder, name), path]);
};

/** Built at the first call on a machine, which takes some minutes; from then on nothing asks for a network. */
const tools = async (): Promise<string> => {
  const names = (await readdir(sources)).sort();
  const contents = await Promise.all(names.map((name) => readFile(join(sources, name), 'utf8')));
  const hash = createHash('sha256').update(JSON.stringify([definitions, contents]));
  return cachedFolder(`kubernetes-${hash.digest('hex').slice(0, 8)}`, async (empty) => {
    await requireGo({ minor: 26, toBuild: 'Helm and what judges manifests' });
    await build(empty);
  });
};

interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

const run = async (name: 'check' | 'helm', args: readonly string[], input = ''): Promise<Ended> => {
  const folder = await tools();
  // Helm has settings and plugins in the home folder: a test has none.
  const env = { PATH: process.env['PATH'], HOME: '/nonexistent' };
  const child = spawn(join(folder, name), args, { env, stdio: 'pipe' });
  const ended = new Promise<number | null>((resolve, reject) =>
    child.once('error', reject).once('close', resolve),
  );
  child.stdin.on('error', () => undefined).end(input);
  const [stdout, stderr, code] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
  return { code, stdout, stderr };
};

/** `helm template` or `helm lint`, for a cluster of the version by which manifests are judged. */
export const helm = (command: 'template' | 'lint', ...args: readonly string[]): Promise<Ended> =>
  run('helm', [command, '--kube-version', '1.37.0', ...args]);

const problemsSaid = ({ code, stdout, stderr }: Ended): readonly string[] => {
  if (code !== 0) throw new Error(`What judges manifests has failed: ${stderr}`);
  return stdout.split('\n').filter((line) => line !== '');
};

/** What an API server would answer if these manifests were created, warnings and forbidden privileges included. */
export const manifestProblems = async (yaml: string): Promise<readonly string[]> =>
  problemsSaid(await run('check', ['kubernetes', join(await tools(), 'definitions')], yaml));

/** What Envoy's API does not know, or has other bounds for. */
export const envoyProblems = async (yaml: string): Promise<readonly string[]> =>
  problemsSaid(await run('check', ['envoy'], yaml));

import { fileURLToPath } from 'node:url';
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { copyFile, mkdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { cachedFolder } from '@roomwire/testing/engines/cachedFolder';
import { type Child, readyLine, startCommand, startProgram } from '../process/children.js';

interface RunningPeer {
  readonly port: number;
  readonly processId: number;
  stop(): Promise<void>;
}

export type PeerProgram =
  'sendEachRelay' | 'writePerTickRelay' | 'roomRelay' | 'httpRelay' | 'socketIo' | 'plainHttp';

interface PeerOptions {
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

export const startPeer = async (
  program: PeerProgram,
  core: number | undefined,
  { args = [], env = {} }: PeerOptions = {},
): Promise<RunningPeer> => {
  const child = launchPeer(program, core, args, env);
  const port = Number(await readyLine(child, /Ready on port (\d+)\n/));
  return { port, processId: child.processId, stop: () => child.stop() };
};

/** Started, but not yet ready. */
export const launchPeer = (
  program: PeerProgram,
  core: number | undefined,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Child => startProgram(fileURLToPath(new URL(`./${program}.js`, import.meta.url)), args, { core, env });

const module = fileURLToPath(new URL('../../../nats/', import.meta.url));
const moduleFiles = ['main.go', 'go.mod', 'go.sum'];
const run = promisify(execFile);

/** Path of the program; built at the first call on a machine, which takes a minute. Rejects where it cannot be built. */
const natsProgram = async (): Promise<string | undefined> => {
  const sources = await Promise.all(moduleFiles.map((file) => readFile(join(module, file), 'utf8')));
  const hash = createHash('sha256').update(JSON.stringify(sources)).digest('hex').slice(0, 8);
  return join(await cachedFolder(`nats-${hash}`, build), 'nats');
};

/** Beside copies of the sources, because what is installed may be read-only. */
const build = async (folder: string): Promise<void> => {
  const sources = join(folder, 'sources');
  await mkdir(sources);
  for (const file of moduleFiles) await copyFile(join(module, file), join(sources, file));
  await run('go', ['-C', sources, 'build', '-o', join(folder, 'nats'), '.']);
  await rm(sources, { recursive: true, force: true });
};

/** Undefined where it cannot be built, which it says. */
export const startNats = async (
  core: number | undefined,
  say: (progress: string) => void,
  args: readonly string[] = [],
): Promise<RunningPeer | undefined> => {
  const program = await natsProgram().catch((error: unknown) => {
    say(`NATS is left out, because it cannot be built: ${reasonOf(error)}`);
  });
  if (program === undefined) return undefined;
  const child = startCommand(program, args, { core });
  const port = Number(await readyLine(child, /Ready on port (\d+)\n/));
  return { port, processId: child.processId, stop: () => child.stop() };
};

/** How NATS keeps what is published: flushed now and then, as it does unless it is told otherwise, or before each acknowledgement. */
export type JetStreamSync = 'now and then' | 'always';

export const startJetStream = (
  core: number | undefined,
  say: (progress: string) => void,
  folder: string,
  sync: JetStreamSync,
): Promise<RunningPeer | undefined> =>
  startNats(core, say, ['-jetstream', folder, ...(sync === 'always' ? ['-sync-always'] : [])]);

const reasonOf = (error: unknown): string => {
  const { code, message } = error as NodeJS.ErrnoException;
  return code === 'ENOENT' ? 'there is no `go` on the path' : message.trim();
};

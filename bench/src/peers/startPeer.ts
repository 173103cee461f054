import { fileURLToPath } from 'node:url';
import { type Child, readyLine, startCommand, startProgram } from '../process/children.js';
import { natsProgram } from './goPrograms.js';

export interface RunningPeer {
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

/** Undefined where it cannot be built, which it says. */
export const startNats = async (
  core: number | undefined,
  say: (progress: string) => void,
  args: readonly string[] = [],
): Promise<RunningPeer | undefined> => {
  const program = await natsProgram(say);
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

import { fileURLToPath } from 'node:url';
import { startProgram, type Child } from '../process/children.js';
import { readyLine } from '../process/readyLine.js';

export interface RunningPeer {
  readonly port: number;
  readonly processId: number;
  stop(): Promise<void>;
}

export type PeerProgram = 'sendEachRelay' | 'writePerTickRelay' | 'roomRelay' | 'socketIo' | 'plainHttp';

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

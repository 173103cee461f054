import { startCommand } from '../process/children.js';
import { readyLine } from '../process/readyLine.js';
import { natsProgram } from './natsProgram.js';
import type { RunningPeer } from './startPeer.js';

/** Undefined where it cannot be built, which it says. */
export const startNats = async (
  core: number | undefined,
  say: (progress: string) => void,
): Promise<RunningPeer | undefined> => {
  const program = await natsProgram().catch((error: unknown) => {
    say(`NATS is left out, because it cannot be built: ${reasonOf(error)}`);
  });
  if (program === undefined) return undefined;
  const child = startCommand(program, [], { core });
  const port = Number(await readyLine(child, /Ready on port (\d+)\n/));
  return { port, processId: child.processId, stop: () => child.stop() };
};

const reasonOf = (error: unknown): string => {
  const { code, message } = error as NodeJS.ErrnoException;
  return code === 'ENOENT' ? 'there is no `go` on the path' : message.trim();
};

import { fileURLToPath } from 'node:url';
import { type Child, type ProgramOptions, startCommand } from '../process/children.js';

const program = fileURLToPath(new URL('../../../../infra/bin/roomwire.js', import.meta.url));

/** With the options of Node that `npm start` has. */
export const startRoomwireProgram = (args: readonly string[], options: ProgramOptions): Child =>
  startCommand(process.execPath, ['--disable-proto=delete', '--v8-pool-size=0', program, ...args], options);

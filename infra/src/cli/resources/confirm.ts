import { createInterface } from 'node:readline/promises';
import { exitCodes, fail } from '../fail.js';

/** Ends the command unless `--yes` was given, or whoever sits at the terminal says so. */
export const confirmOrExit = async (question: string, isConfirmed: boolean): Promise<void> => {
  if (isConfirmed) return;
  if (!process.stdin.isTTY) fail('Pass --yes to delete without confirmation', exitCodes.misused);
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  const answer = await terminal.question(`${question} [y/N] `);
  terminal.close();
  if (!/^y(?:es)?$/i.test(answer.trim())) fail('Nothing was deleted');
};

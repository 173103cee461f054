import { writeFile } from 'node:fs/promises';
import type { Command } from 'commander';
import { exitCodes, fail } from './fail.js';

/** Where a command puts something secret: a terminal, unless it is told otherwise. */
export interface SecretOutput {
  readonly print: boolean;
  readonly output?: string;
}

export const withSecretOutput = (command: Command): Command =>
  command
    .option(
      '--print',
      'print it even where the output is not a terminal: into a pipe, a file or a log',
      false,
    )
    .option('--output <file>', 'write it to a new file that only its owner can read');

/** Ends the command where the output may be kept and nobody has asked for that. */
export const requireSecretOutput = ({ print, output }: SecretOutput, what: string): void => {
  if (output === undefined && !print && !process.stdout.isTTY)
    fail(
      `The output is not a terminal, and may be kept: use --print to print the ${what} all the same, or --output <file>`,
      exitCodes.misused,
    );
};

/** A file that is there is never written over. */
export const putSecret = async ({ output }: SecretOutput, what: string, text: string): Promise<void> => {
  if (output === undefined) return void process.stdout.write(`${text}\n`);
  try {
    await writeFile(output, `${text}\n`, { flag: 'wx', mode: 0o600 });
  } catch (error) {
    fail(`The ${what} could not be written: ${(error as Error).message}`);
  }
};

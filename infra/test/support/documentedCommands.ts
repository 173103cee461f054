import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../../../', import.meta.url));

/** The shell commands of a section of `docs/OPERATIONS.md`, block by block. */
export const documentedCommands = (heading: string): readonly string[] => {
  const text = readFileSync(`${root}docs/OPERATIONS.md`, 'utf8');
  const [, section] = text.split(`\n${heading}\n`);
  if (section === undefined) throw new Error(`docs/OPERATIONS.md has no ${heading}`);
  const [own = ''] = section.split(/\n#{2,3} /);
  return Array.from(own.matchAll(/```sh\n(.*?)```/gs), ([, commands = '']) => commands);
};

/** The names that a block of `export` lines gives values to. */
export const exportedNames = (block: string): readonly string[] =>
  Array.from(block.matchAll(/^export (\w+)=/gm), ([, name = '']) => name);

/** Runs commands as they stand there, in the checkout; rejects where one of them fails. */
export const runDocumented = async (
  commands: string,
  environment: Readonly<Record<string, string>>,
): Promise<string> => {
  const shell = spawn('bash', ['-euo', 'pipefail', '-c', commands], {
    cwd: root,
    env: { PATH: process.env['PATH'], HOME: process.env['HOME'], ...environment },
    // Of a socket it would think that somebody logs in.
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [shell.stdout, shell.stderr]) stream.on('data', (chunk) => (output += String(chunk)));
  const [code] = (await once(shell, 'close')) as [number | null];
  if (code !== 0) throw new Error(`Ended with ${code}: ${commands}\n${output}`);
  return output;
};

import { readFileSync } from 'node:fs';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

const root = new URL('../../../../', import.meta.url);

/** The blocks of code in one language that a document of the project shows, in order. */
export const documentBlocks = (path: string, language: string): readonly string[] => {
  const text = readFileSync(new URL(path, root), 'utf8');
  return Array.from(
    text.matchAll(new RegExp(`^\`\`\`${language}\\n([^]*?)^\`\`\``, 'gm')),
    ([, block = '']) => block,
  );
};

/** The rows of the first table that follows a text, without their marks of code. */
export const documentTable = (path: string, after: string): readonly (readonly string[])[] => {
  const text = readFileSync(new URL(path, root), 'utf8');
  const lines = text.slice(text.indexOf(after)).split('\n');
  const begin = lines.findIndex((line) => line.startsWith('|'));
  const rows = lines.slice(begin + 2);
  const end = rows.findIndex((line) => !line.startsWith('|'));
  return rows.slice(0, end).map((line) =>
    line
      .slice(1, -1)
      .split('|')
      .map((cell) => cell.trim().replaceAll('`', '')),
  );
};

/** The rows of every table of a document as they are written, without the head of the first one. */
export const documentRows = (path: string): readonly (readonly string[])[] =>
  readFileSync(new URL(path, root), 'utf8')
    .split('\n')
    .filter((line) => line.startsWith('|'))
    .map((line) => line.split('|').slice(1, -1))
    .map((cells) => cells.map((cell) => cell.trim()))
    .slice(2);

/** The shell commands of a section of `docs/OPERATIONS.md`, block by block. */
export const documentedCommands = (heading: string): readonly string[] => {
  const text = readFileSync(new URL('docs/OPERATIONS.md', root), 'utf8');
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
    cwd: fileURLToPath(root),
    env: { PATH: process.env['PATH'], HOME: process.env['HOME'], ...environment },
    // For a socket it would expect a login.
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [shell.stdout, shell.stderr]) stream.on('data', (chunk) => (output += String(chunk)));
  const [code] = (await once(shell, 'close')) as [number | null];
  if (code !== 0) throw new Error(`Ended with ${code}: ${commands}\n${output}`);
  return output;
};

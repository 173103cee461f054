import { spawn, type ChildProcess } from 'node:child_process';
import { chmod, mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { roomwire } from '../support/program.js';

export const root = fileURLToPath(new URL('../../../../', import.meta.url));

export const guidesFolder = join(root, 'docs', 'guides');

/** A block of code of a guide. */
export interface Block {
  readonly language: string;
  /** What the file is called that a reader puts it into; every block has one. */
  readonly title: string;
  readonly text: string;
}

export const blocksOf = (markdown: string): readonly Block[] =>
  Array.from(
    markdown.matchAll(/^```(\w+)(?: title=(\S+))?\n(.*?)^```$/gms),
    ([, language = '', title = '', code = '']) => ({ language, title, text: code }),
  );

export interface Done {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** What npx runs where the packages are installed. */
const npx = `#!/bin/bash
command=$1
shift
if [ "$command" = roomwire ]; then exec ${process.execPath} ${roomwire} "$@"; fi
exec "node_modules/.bin/$command" "$@"
`;

type Environment = Readonly<Record<string, string>>;

/** A guide as its reader follows it: in a folder with the packages installed, where files stay and exports of the shell too. */
export class Guide {
  private readonly folder: string;
  private readonly blocks: ReadonlyMap<string, Block>;
  private readonly untaken: Set<string>;
  private environment: Environment;

  private constructor(folder: string, blocks: readonly Block[], environment: Environment) {
    this.folder = folder;
    this.blocks = new Map(blocks.map((block) => [block.title, block]));
    this.untaken = new Set(this.blocks.keys());
    this.environment = environment;
  }

  /** `folder` is that of the service, with its data folder in it. */
  static async open(name: string, folder: string, environment: Environment): Promise<Guide> {
    const blocks = blocksOf(await readFile(join(guidesFolder, name), 'utf8'));
    const commands = join(folder, 'commands');
    await mkdir(commands);
    await symlink(join(root, 'node_modules'), join(folder, 'node_modules'));
    await writeFile(join(commands, 'npx'), npx);
    await chmod(join(commands, 'npx'), 0o755);
    const path = `${commands}${delimiter}${process.env['PATH'] ?? ''}`;
    const home = { HOME: folder, XDG_CONFIG_HOME: join(folder, 'config') };
    return new Guide(folder, blocks, { ...environment, ...home, PATH: path, ROOMWIRE_OPS_PORT: '0' });
  }

  /** Blocks that no test has used. */
  get unused(): readonly string[] {
    return [...this.untaken];
  }

  /** Marks a block that is run in another way, and gives its text. */
  take(title: string): string {
    const block = this.blocks.get(title);
    if (block === undefined) throw new Error(`The guide has no block ${title}`);
    this.untaken.delete(title);
    return block.text;
  }

  /** Writes a block into the file of its name. */
  async write(title: string): Promise<string> {
    const path = join(this.folder, title);
    await writeFile(path, this.take(title));
    return path;
  }

  set(more: Environment): void {
    this.environment = { ...this.environment, ...more };
  }

  get(name: string): string {
    return this.environment[name] ?? '';
  }

  /** Runs a command in the folder. */
  start(command: string, ...args: readonly string[]): ChildProcess {
    return spawn(command, args, {
      cwd: this.folder,
      env: this.environment,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
  }

  async run(command: string, ...args: readonly string[]): Promise<Done> {
    const child = this.start(command, ...args);
    const ended = new Promise<number | null>((resolve, reject) =>
      child.once('error', reject).once('close', resolve),
    );
    const { stdout, stderr } = child as { stdout: NodeJS.ReadableStream; stderr: NodeJS.ReadableStream };
    const [out, err, code] = await Promise.all([text(stdout), text(stderr), ended]);
    return { code, stdout: out, stderr: err };
  }

  /** Runs a block of the shell; what it exports is there for the next one. */
  async shell(title: string): Promise<string> {
    const exported = join(this.folder, 'exported');
    const script = `set -euo pipefail\n${this.take(title)}\nenv -0 > '${exported}'\n`;
    const { code, stdout, stderr } = await this.run('bash', '-c', script);
    if (code !== 0) throw new Error(`${title} ended with ${code}:\n${stdout}\n${stderr}`);
    const lines = (await readFile(exported, 'utf8')).split('\0').filter((line) => line !== '');
    this.environment = Object.fromEntries(
      lines.map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]),
    );
    return stdout;
  }
}

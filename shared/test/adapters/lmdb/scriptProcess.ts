import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { eventually } from '@roomwire/testing/run/eventually';

/** A compiled script in a separate process, which prints what it does line by line. */
export class ScriptProcess {
  readonly lines: string[] = [];
  private readonly child: ChildProcess;
  private readonly exit: Promise<unknown>;

  private constructor(command: string, args: readonly string[]) {
    this.child = spawn(command, args, { stdio: ['ignore', 'pipe', 'ignore'] });
    this.exit = once(this.child, 'close');
    let rest = '';
    this.child.stdout!.setEncoding('utf8').on('data', (text: string) => {
      const lines = (rest + text).split('\n');
      rest = lines.pop()!;
      this.lines.push(...lines);
    });
  }

  static run(script: URL, ...args: string[]): ScriptProcess {
    return new ScriptProcess(process.execPath, [fileURLToPath(script), ...args]);
  }

  /** With a bound on the size of the files that it may write, which the system answers like a full disk. */
  static runWithFileLimit(blocks: number, script: URL, ...args: string[]): ScriptProcess {
    const command = `ulimit -f ${blocks} && exec "$0" "$@"`;
    return new ScriptProcess('/bin/sh', ['-c', command, process.execPath, fileURLToPath(script), ...args]);
  }

  get id(): number {
    return this.child.pid!;
  }

  hasPrinted(count: number): Promise<void> {
    return eventually(() => this.lines.length >= count, { what: `${count} lines`, withinMs: 15_000 });
  }

  /** Resolves with the exit code, when all that it printed has been read. */
  async ended(): Promise<number | null> {
    await this.exit;
    return this.child.exitCode;
  }

  async kill(): Promise<void> {
    this.child.kill('SIGKILL');
    await this.exit;
  }
}

import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

/** Runs `go` in a folder; resolves with what it says. */
export const go = async (folder: string, ...args: readonly string[]): Promise<string> =>
  (await promisify(execFile)('go', ['-C', folder, ...args])).stdout.trim();

interface Required {
  /** Of the version: 22 for Go 1.22. */
  readonly minor: number;
  readonly toBuild: string;
  /** What to do without it, if there is something. */
  readonly otherwise?: string;
}

/** Rejects, with what to do, where there is no Go of this version or a later one. */
export const requireGo = async ({ minor, toBuild, otherwise = '' }: Required): Promise<void> => {
  const found = await promisify(execFile)('go', ['env', 'GOVERSION']).catch(() => undefined);
  const [, present = 0] = /^go1\.(\d+)/.exec(found?.stdout ?? '') ?? [];
  if (Number(present) >= minor) return;
  const what = found ? `this is ${found.stdout.trim()}` : 'there is no `go` on the path';
  throw new Error(
    `Building ${toBuild} takes Go 1.${minor} or later, and ${what}. Debian 12's golang-go is older: take the ` +
      `archive from go.dev, or a newer one from the backports. ${otherwise}`.trimEnd(),
  );
};

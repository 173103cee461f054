import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { copyFile, cp, mkdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { cachedFolder } from '@roomwire/testing/engines/cachedFolder';

type Say = (progress: string) => void;

interface GoProgram {
  readonly title: string;
  /** Of its folder in this package, and of the program. */
  readonly name: string;
  readonly files: readonly string[];
  /** In copies of its files, because what is installed may be read-only. */
  readonly build: (sources: string, program: string) => Promise<void>;
}

const run = promisify(execFile);

const nats: GoProgram = {
  title: 'NATS',
  name: 'nats',
  files: ['main.go', 'go.mod', 'go.sum'],
  build: (sources, program) => goBuild(sources, program),
};

const centrifugoModule = 'github.com/centrifugal/centrifugo/v6';

/** Its packages are internal: it is built as its release is, from a copy of the module with one file more. */
const centrifugo: GoProgram = {
  title: 'Centrifugo',
  name: 'centrifugo',
  files: ['collectOnSignal.go', 'go.mod', 'go.sum'],
  build: async (sources, program) => {
    const { stdout } = await run('go', ['-C', sources, 'mod', 'download', '-json', centrifugoModule]);
    const { Dir } = JSON.parse(stdout) as { readonly Dir: string };
    const copy = join(sources, 'module');
    await cp(Dir, copy, { recursive: true });
    await run('chmod', ['-R', 'u+w', copy]);
    await copyFile(join(sources, 'collectOnSignal.go'), join(copy, 'collectOnSignal.go'));
    await goBuild(copy, program);
  },
};

/** As releases are: linked statically. */
const goBuild = async (sources: string, program: string): Promise<void> => {
  const env = { ...process.env, CGO_ENABLED: '0' };
  await run('go', ['-C', sources, 'build', '-buildvcs=false', '-o', program, '.'], { env });
};

/** Path of the program; built at the first call on a machine, which takes minutes. Undefined where it cannot be built, which it says. */
const built = async ({ title, name, files, build }: GoProgram, say: Say): Promise<string | undefined> => {
  const folder = fileURLToPath(new URL(`../../../${name}/`, import.meta.url));
  try {
    const texts = await Promise.all(files.map((file) => readFile(join(folder, file), 'utf8')));
    const hash = createHash('sha256').update(JSON.stringify(texts)).digest('hex').slice(0, 8);
    const fill = async (cached: string): Promise<void> => {
      const sources = join(cached, 'sources');
      await mkdir(sources);
      for (const file of files) await copyFile(join(folder, file), join(sources, file));
      await build(sources, join(cached, name));
      await rm(sources, { recursive: true, force: true });
    };
    return join(await cachedFolder(`${name}-${hash}`, fill), name);
  } catch (error) {
    say(`${title} is left out, because it cannot be built: ${reasonOf(error)}`);
    return undefined;
  }
};

export const natsProgram = (say: Say): Promise<string | undefined> => built(nats, say);

export const centrifugoProgram = (say: Say): Promise<string | undefined> => built(centrifugo, say);

const reasonOf = (error: unknown): string => {
  const { code, message } = error as NodeJS.ErrnoException;
  return code === 'ENOENT' ? 'there is no `go` on the path' : message.trim();
};

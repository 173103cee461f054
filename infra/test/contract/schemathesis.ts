import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { cachedFolder } from '@roomwire/testing/engines/cachedFolder';

const run = promisify(execFile);

const version = '4.32.5';
const msgpackVersion = '1.1.2';
const buffered = { maxBuffer: 64 * 1024 * 1024 };

export interface SchemathesisRun {
  readonly description: string;
  /** Arguments that choose operations, how many examples to make, and so on. */
  readonly args: readonly string[];
  /** Its `hooks` are in `hooks.py`. */
  readonly settings: string;
  readonly environment: Readonly<Record<string, string>>;
  /** For its settings and its report. */
  readonly folder: string;
  readonly timeoutMs: number;
}

export interface SchemathesisReport {
  readonly operations: { readonly selected: number; readonly tested: number };
  readonly test_cases: { readonly generated: number };
  readonly failures: readonly unknown[];
  readonly errors: readonly unknown[];
  readonly warnings: Readonly<Record<string, readonly unknown[]>>;
  /** What it has printed. */
  readonly output: string;
}

/** The Python environment that has it, made once for all runs on this machine. Needs Python 3.10 with `venv`. */
const python = async (): Promise<string> => {
  const { stdout } = await run('python3', ['-c', 'import sys; print("%d.%d" % sys.version_info[:2])']);
  const folder = await cachedFolder(
    `schemathesis-${version}-msgpack-python-${stdout.trim()}`,
    async (unfinished) => {
      await run('python3', ['-m', 'venv', unfinished], buffered);
      const pip = ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check'];
      const packages = [`schemathesis==${version}`, `msgpack==${msgpackVersion}`];
      await run(join(unfinished, 'bin/python'), [...pip, ...packages], buffered);
    },
  );
  return join(folder, 'bin/python');
};

/**
 * The description says in prose that this name is refused wherever it stands, and no body is made that has it. In MessagePack there are no
 * integers beyond 64 bits.
 */
const hooks = `import msgpack
import schemathesis

def representable(value):
    if isinstance(value, dict):
        return {key: representable(each) for key, each in value.items()}
    if isinstance(value, list):
        return [representable(each) for each in value]
    if isinstance(value, int) and not -(2**63) <= value < 2**64:
        return float(value) if abs(value) < 2**1000 else 0.0
    return value

@schemathesis.serializer("application/msgpack")
def to_msgpack(context, value):
    return msgpack.packb(representable(value), unicode_errors="surrogatepass")

def names_proto(value):
    if isinstance(value, dict):
        return "__proto__" in value or any(map(names_proto, value.values()))
    return isinstance(value, list) and any(map(names_proto, value))

@schemathesis.hook
def filter_body(context, body):
    return not names_proto(body)
`;

/** Tests a running service against its description, with every check. Resolves with the report, good or bad. */
export const runSchemathesis = async (wanted: SchemathesisRun): Promise<SchemathesisReport> => {
  const settings = join(wanted.folder, 'schemathesis.toml');
  const report = join(wanted.folder, 'report.json');
  await writeFile(settings, wanted.settings);
  await writeFile(join(wanted.folder, 'hooks.py'), hooks);
  const { stdout } = await run(
    await python(),
    [
      ...['-m', 'schemathesis.cli', '--config-file', settings, 'run', wanted.description],
      ...['--checks', 'all', '--generation-database', 'none', '--no-color'],
      ...['--report', 'json', '--report-json-path', report],
      ...wanted.args,
    ],
    {
      ...buffered,
      cwd: wanted.folder,
      env: { PATH: process.env['PATH'], HOME: wanted.folder, ...wanted.environment },
      timeout: wanted.timeoutMs,
    },
  ).catch(outputOfFailed);
  const written = await readFile(report, 'utf8').catch(() => '');
  if (written === '') throw new Error(`schemathesis has not finished:\n${stdout.slice(-20_000)}`);
  return { ...(JSON.parse(written) as Omit<SchemathesisReport, 'output'>), output: stdout };
};

/** It ends with another code than 0 where it has found something. */
const outputOfFailed = (error: unknown): { stdout: string } => {
  const { stdout = '', stderr = '' } = error as { stdout?: string; stderr?: string };
  return { stdout: `${stdout}\n${stderr}` };
};

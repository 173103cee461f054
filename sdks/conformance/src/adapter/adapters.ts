import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { AdapterCommand } from './adapter.js';

const checkout = fileURLToPath(new URL('../../../../../', import.meta.url));

/** The environments that `npm run test:python` makes, one for each version. */
const pythonEnvironments = join(checkout, 'sdks/python/.venv');

const python = (): string => {
  const versions = existsSync(pythonEnvironments) ? readdirSync(pythonEnvironments) : [];
  const programs = versions.sort().map((version) => join(pythonEnvironments, version, 'bin/python'));
  return programs.find(existsSync) ?? 'python3';
};

/** Of the clients in this repository. */
const known: Readonly<Record<string, () => AdapterCommand>> = {
  typescript: () => ({
    command: process.execPath,
    args: [join(checkout, 'sdk/dist/test/conformance/adapter.js')],
  }),
  python: () => ({ command: python(), args: [join(checkout, 'sdks/python/conformance/adapter.py')] }),
};

/** Of one of our clients, by its language, or of any program, by its path. */
export const adapterCommand = (name: string): AdapterCommand =>
  known[name]?.() ?? { command: name, args: [] };

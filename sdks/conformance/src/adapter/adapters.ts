import { fileURLToPath } from 'node:url';
import type { AdapterCommand } from './adapter.js';

const inCheckout = (path: string): string =>
  fileURLToPath(new URL(`../../../../../${path}`, import.meta.url));

/** Of the clients in this repository. */
const known: Readonly<Record<string, AdapterCommand>> = {
  typescript: { command: process.execPath, args: [inCheckout('sdk/dist/test/conformance/adapter.js')] },
  python: {
    command: process.env['ROOMWIRE_TEST_PYTHON'] ?? 'python3',
    args: [inCheckout('sdks/python/conformance/adapter.py')],
  },
};

/** Of one of our clients, by its language, or of any program, by its path. */
export const adapterCommand = (name: string): AdapterCommand => known[name] ?? { command: name, args: [] };

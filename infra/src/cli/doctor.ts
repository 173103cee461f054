import type { Command } from 'commander';
import { examine } from '../doctor/examine.js';
import { describeFinding, worstOf } from '../engines/finding.js';
import { exitCodes } from './fail.js';

export const addDoctor = (program: Command): void => {
  program
    .command('doctor')
    .description('check configuration, files, ports and engines, and suggest fixes')
    .option('--json', 'one JSON object instead of lines')
    .action(async ({ json = false }: { readonly json?: boolean }) => {
      const findings = await examine(process.env, Date.now);
      const status = worstOf(findings);
      const text = json
        ? JSON.stringify({ status, findings }, null, 2)
        : findings.map(describeFinding).join('\n');
      process.stdout.write(`${text}\n`);
      // Whatever a client library of an engine still waits for is of no interest.
      process.exit(status === 'error' ? exitCodes.failed : 0);
    });
};

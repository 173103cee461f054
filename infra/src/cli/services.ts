import type { Command } from 'commander';
import { run } from '../services/run.js';
import { requireSettings, serviceNames } from '../services/service.js';
import { serve } from './serve.js';

/** A command for each service: the distributed profile runs any number of each, on engines. */
export const addServices = (program: Command): void => {
  for (const name of serviceNames) {
    program
      .command(name)
      .description(`run only the ${name} in this process, on the engines of the configuration`)
      .action(async () => {
        const { baseUrl } = await serve((config, logger) => {
          requireSettings(name, config);
          return run([name], config, logger);
        });
        process.stdout.write(`Roomwire ${name} is ready on ${baseUrl}\n`);
      });
  }
};

import { ConfigError, readConfig, type Config } from '../config/config.js';
import { exitCodes, fail } from './fail.js';

/** The settings of the environment. Ends the command where they are bad. */
export const configOrFail = (): Config => {
  try {
    return readConfig(process.env);
  } catch (error) {
    if (error instanceof ConfigError) return fail(error.message, exitCodes.misused);
    throw error;
  }
};

import { createLogger, format, transports } from 'winston';
import type { Logger } from '../../ports/logger.js';
import { redact } from './redact.js';

/** Reserved by a log line itself. */
const lineFields = new Set(['level', 'message', 'timestamp']);

/** One JSON object per line on standard error; standard output is left to the output of commands. */
export const createWinstonLogger = (level: string): Logger => {
  const winston = createLogger({
    level,
    format: format.combine(format.timestamp(), format.json()),
    transports: [new transports.Console({ stderrLevels: ['error', 'warn', 'info', 'debug'] })],
  });
  const log =
    (at: string) =>
    (message: string, fields: Readonly<Record<string, unknown>> = {}): void => {
      winston.log({ ...renamed(redact(fields) as Record<string, unknown>), level: at, message });
    };
  return { error: log('error'), warn: log('warn'), info: log('info'), debug: log('debug') };
};

const renamed = (fields: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [lineFields.has(name) ? `${name}_` : name, value]),
  );

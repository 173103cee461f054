import type { LogFields, Logger } from '@roomwire/shared/ports/logger';

export const silentLogger: Logger = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
};

export interface RecordedLine {
  readonly level: keyof Logger;
  readonly message: string;
  readonly fields: LogFields | undefined;
}

/** Keeps what was logged, so that a test can say that nothing went wrong, or what did. */
export const createRecordingLogger = (): { logger: Logger; lines: RecordedLine[] } => {
  const lines: RecordedLine[] = [];
  const record = (level: keyof Logger) => (message: string, fields?: LogFields) =>
    void lines.push({ level, message, fields });
  return {
    lines,
    logger: { debug: record('debug'), info: record('info'), warn: record('warn'), error: record('error') },
  };
};

/** Structured fields of a log message. Never a secret, never a payload. */
export type LogFields = Readonly<Record<string, unknown>>;

/** The log of a service. Must not throw and must not block. */
export interface Logger {
  debug(message: string, fields?: LogFields): void;
  info(message: string, fields?: LogFields): void;
  warn(message: string, fields?: LogFields): void;
  error(message: string, fields?: LogFields): void;
}

/** What a message is about, as data. Never a secret, never a payload. */
export type LogFields = Readonly<Record<string, unknown>>;

/** Where the services say what happened to them. Must not throw, must not wait. */
export interface Logger {
  debug(message: string, fields?: LogFields): void;
  info(message: string, fields?: LogFields): void;
  warn(message: string, fields?: LogFields): void;
  error(message: string, fields?: LogFields): void;
}

import { packError, unpackError, type ThrownError } from '@roomwire/shared/adapters/threads/thrownErrors';
import type { ThreadLink } from '@roomwire/shared/adapters/threads/threadLink';
import type { LogFields, Logger } from '@roomwire/shared/ports/logger';

type Level = keyof Logger;

/** An error among the fields, on its way. */
interface PackedFields {
  readonly fields: LogFields;
  readonly error: ThrownError | undefined;
}

/** The log of the other thread, so that a process has one. Lines that nobody would see are not sent. */
export const threadLogger = (link: ThreadLink, hasDebug: boolean): Logger => {
  const at =
    (level: Level) =>
    (message: string, { error, ...fields }: LogFields = {}): void =>
      link.tell('log', 'line', level, message, {
        fields,
        error: error === undefined ? undefined : packError(error),
      } satisfies PackedFields);
  return {
    debug: hasDebug ? at('debug') : () => undefined,
    ...{ info: at('info'), warn: at('warn'), error: at('error') },
  };
};

export const serveLogger = (link: ThreadLink, logger: Logger, thread: number): void =>
  link.serve('log', {
    line: (level: Level, message: string, { fields, error }: PackedFields) =>
      logger[level](message, { ...fields, ...(error && { error: unpackError(error) }), thread }),
  });

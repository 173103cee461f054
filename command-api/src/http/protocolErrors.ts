import { renderProtocolError, type ProtocolErrorName } from '@roomwire/shared/wire/protocol/protocolErrors';
import { ErrorAnswer } from './errors.js';
import * as s from './schema.js';

/** The statuses of errors of the socket's protocol, where they are answered over HTTP. */
const statuses = {
  rateLimited: 429,
  quotaExceeded: 429,
  messageTooLarge: 413,
  unknownTopic: 404,
  unknownActor: 404,
  unknownScope: 404,
  invalidFilterChars: 400,
  tooManyFilters: 400,
  publishConflict: 409,
  scheduleLimit: 429,
} as const satisfies Partial<Record<ProtocolErrorName, number>>;

export type AnsweredError = keyof typeof statuses;

export const answeredErrors = Object.keys(statuses) as readonly AnsweredError[];

const isAnswered = (name: ProtocolErrorName): name is AnsweredError => name in statuses;

export const protocolErrorSchema = s.described(
  s.titled(
    'ProtocolError',
    s.strictObject(
      {
        error: s.text(),
        code: s.integer(),
        hint: s.text(),
        maxSizeBytes: s.described(s.count, 'Of the `data`, as MessagePack'),
      },
      ['error'],
    ),
  ),
  'An error as the socket has it.',
);

type ProtocolErrorAnswer = s.ValueOf<typeof protocolErrorSchema>;

/** The fields of an error, as protocol 2 has them. */
export const presentProtocolError = (name: ProtocolErrorName): ProtocolErrorAnswer => {
  const { error, code, hint, maxSizeBytes } = renderProtocolError(name, 2);
  return {
    error,
    ...(code !== undefined && { code }),
    ...(hint !== undefined && { hint }),
    ...(maxSizeBytes !== undefined && { maxSizeBytes }),
  };
};

/** The answer of a request that came to this error and to nothing else. */
export const protocolErrorAnswer = (
  name: ProtocolErrorName,
  headers: Readonly<Record<string, string>> = {},
): ErrorAnswer => {
  if (!isAnswered(name)) throw new TypeError(`No request is answered ${name}`);
  return new ErrorAnswer(statuses[name], presentProtocolError(name), headers);
};

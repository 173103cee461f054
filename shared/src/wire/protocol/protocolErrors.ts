import { maxDataBytes, maxFilters, maxPresenceBytes } from './limits.js';
import type { ProtocolVersion } from './versions.js';

interface ProtocolErrorSpec {
  readonly error: string;
  /** Protocol 2. */
  readonly code?: number;
  /** Protocol 2. */
  readonly hint?: string;
  /** What protocol 1 calls it. */
  readonly errorInV1?: string;
  readonly maxSizeBytes?: number;
}

/** Every `error` frame there is. The texts are wire contract. */
export const protocolErrors = {
  notAuthenticated: { error: 'not_authenticated' },
  alreadyAuthenticated: { error: 'already_authenticated' },
  invalidFrame: { error: 'invalid_frame' },
  unknownType: { error: 'unknown_type' },
  rateLimited: { error: 'rate_limit_exceeded', code: 42910 },
  quotaExceeded: { error: 'monthly_quota_exceeded', code: 42920 },
  messageTooLarge: { error: 'message_too_large', code: 42930, maxSizeBytes: maxDataBytes },
  unknownTopic: {
    error: 'unknown_topic',
    code: 42940,
    // One sentence for 'missing' and 'not allowed', so that nothing leaks.
    hint: 'Check that the app, the room and the topic of this app-slug/room-slug/topic address exist and are active, that the app slug is the stored one, and that this actor may use them.',
    errorInV1: 'not_authorized',
  },
  notSubscribed: { error: 'not_subscribed' },
  presenceTooLarge: { error: 'message_too_large', code: 42930, maxSizeBytes: maxPresenceBytes },
  notAuthorized: { error: 'not_authorized' },
  invalidFilterChars: { error: 'invalid_filter_chars (/, #, +, | not allowed)' },
  tooManyFilters: { error: `too_many_filters (max ${maxFilters})` },
  brokerUnavailable: { error: 'broker_unavailable' },
} as const satisfies Record<string, ProtocolErrorSpec>;

export type ProtocolErrorName = keyof typeof protocolErrors;

/** What of the frame at fault its error names. */
export interface ProtocolErrorContext {
  readonly topic?: string | undefined;
  readonly msgRef?: string | undefined;
  readonly lobbyId?: string | undefined;
}

/** Fields that are undefined do not go on the wire. */
export interface ErrorFrame extends ProtocolErrorContext {
  readonly type: 'error';
  readonly error: string;
  readonly code?: number | undefined;
  readonly hint?: string | undefined;
  readonly maxSizeBytes?: number | undefined;
}

/** The one place that knows what protocol 1 does not. */
export const renderProtocolError = (
  name: ProtocolErrorName,
  version: ProtocolVersion,
  { topic, msgRef, lobbyId }: ProtocolErrorContext = {},
): ErrorFrame => {
  const { error, code, hint, errorInV1, maxSizeBytes }: ProtocolErrorSpec = protocolErrors[name];
  const common = { type: 'error', topic, lobbyId, maxSizeBytes } as const;
  return version === 1 ? { ...common, error: errorInV1 ?? error } : { ...common, error, code, hint, msgRef };
};

import type {
  BackendMessage,
  Publishers,
  Publishing,
  PublishResult,
} from '@roomwire/shared/ports/publishing';
import { maxDataBytes } from '@roomwire/shared/wire/protocol/limits';
import type { ProtocolErrorName } from '@roomwire/shared/wire/protocol/protocolErrors';

/** Errors that hold for every later message of the request, too. */
const lasting: ReadonlySet<ProtocolErrorName> = new Set(['quotaExceeded', 'brokerUnavailable']);

const isTooLarge = ({ data }: BackendMessage): boolean => data.length > maxDataBytes;

/**
 * Publishes those of the messages that the rate lets through, the first ones, and that are not too large. The results are in the
 * order of the messages.
 */
export const publishMessages = async (
  publishing: Publishing,
  of: Publishers,
  messages: readonly BackendMessage[],
  withinRate: number,
): Promise<readonly PublishResult[]> => {
  const sent = messages.slice(0, withinRate).filter((message) => !isTooLarge(message));
  const outcomes = sent.length === 0 ? [] : await publishing.publish(of, sent);
  if (outcomes.length !== sent.length) throw new TypeError('Every message that is published has a result');
  let next = 0;
  let ended: ProtocolErrorName | undefined;
  return messages.map((message, at) => {
    if (at >= withinRate) return { error: 'rateLimited' };
    if (isTooLarge(message)) return { error: ended ?? 'messageTooLarge' };
    const outcome = outcomes[next++] as PublishResult;
    if ('error' in outcome && lasting.has(outcome.error)) ended = outcome.error;
    return outcome;
  });
};

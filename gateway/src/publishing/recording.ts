import type { LiveMessage } from '@roomwire/shared/wire/bus/liveMessage';
import type { Logger } from '@roomwire/shared/ports/logger';
import type { MessageStore } from '@roomwire/shared/ports/messageStore';
import type { RetentionClass } from '@roomwire/shared/wire/bus/recordedMessages';
import type { GatewayMetrics } from '../metrics.js';

interface RecorderDeps {
  /** Undefined where messages are not recorded. */
  readonly messageStore: MessageStore | undefined;
  readonly metrics: GatewayMetrics;
  readonly logger: Logger;
}

/**
 * [WS-RECORD-3] Begins to record a message of a logged topic. Returns a promise where the message must be stored before it
 * is delivered, so that a replay contains every message that a subscriber has received.
 */
export type RecordMessage = (
  message: LiveMessage,
  retention: RetentionClass | undefined,
) => Promise<void> | undefined;

export const createRecorder = ({ messageStore, metrics, logger }: RecorderDeps): RecordMessage => {
  if (messageStore === undefined) return () => undefined;

  const failed = (error: unknown): void => {
    metrics.recordFailures++;
    logger.warn('A message could not be recorded', { error });
  };

  return (message, retention) => {
    if (retention === undefined) return undefined;
    metrics.recorded++;
    const appended = messageStore.append(message, retention);
    appended.catch(failed);
    return message.qos === 0 ? undefined : appended;
  };
};

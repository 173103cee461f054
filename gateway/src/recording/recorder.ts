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
 * [WS-RECORD-3] Begins to record a message of a topic that is logged. A promise where it must be safe before
 * anybody gets it, so that a replay finds whatever a subscriber has got.
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

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

/** Limit of waiting bytes per connection; beyond it the next frame waits too. */
const maxBytes = 1024 * 1024;

const done = Promise.resolve();

/** [WS-PUB-3] The publishes of one connection that wait for the message store, and those queued behind them. */
export class RecordingLine {
  private last: Promise<void> | undefined;
  private bytes = 0;

  get isEmpty(): boolean {
    return this.last === undefined;
  }

  get isFull(): boolean {
    return this.bytes > maxBytes;
  }

  /** Sends after the message is recorded and all earlier ones were sent or have failed. Neither callback may reject. */
  add(
    bytes: number,
    recorded: Promise<void> | undefined,
    send: () => Promise<void> | undefined,
    failed: (error: unknown) => void,
  ): Promise<void> {
    this.bytes += bytes;
    const turn = (this.last ?? done)
      .then(() => recorded)
      .then(send, failed)
      .then(() => {
        this.bytes -= bytes;
        if (this.last === turn) this.last = undefined;
      });
    this.last = turn;
    return turn;
  }
}

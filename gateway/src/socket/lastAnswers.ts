import type { ClientFrame } from '@roomwire/shared/wire/protocol/clientFrames';
import { parseFrame } from '@roomwire/shared/wire/protocol/parseFrame';
import type { WaitingFrame } from './inbox.js';

/** [WS-ACK-4] What a client has said of its messages, among frames that still wait when its connection ends. */
export function* lastAnswers(waiting: readonly WaitingFrame[]): Iterable<ClientFrame> {
  for (const { bytes, isText } of waiting) {
    const frame = parseFrame(bytes, isText);
    if (frame.type === 'ack' || frame.type === 'batchAck' || frame.type === 'nack') yield frame;
  }
}

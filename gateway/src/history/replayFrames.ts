import type { Buffer } from 'node:buffer';
import type { HistoryTopic, KeptMessage } from '@roomwire/shared/ports/history';
import { binaryFrame, bodyWithMeta, replayedBody } from '@roomwire/shared/wire/protocol/encodeFrames';
import { positionOf } from '@roomwire/shared/wire/protocol/position';
import { metaOf } from '../fanout/messageFrames.js';

interface Frames {
  plain?: Buffer;
  withMeta?: Buffer;
}

/** The frames of replayed messages, each made once for all who read the message at once. */
export class ReplayFrames {
  private readonly frames = new WeakMap<KeptMessage, Frames>();

  of(topic: HistoryTopic, kept: KeptMessage, { meta }: { readonly meta: boolean }): Buffer {
    const known = this.frames.get(kept) ?? {};
    this.frames.set(kept, known);
    if (!meta) return (known.plain ??= binaryFrame(replayedBody(kept.message.body)));
    return (known.withMeta ??= frameWithMeta(topic, kept, replayedBody(kept.message.body)));
  }
}

/** A message of the record has no place of its own. */
export const frameWithMeta = (
  topic: HistoryTopic,
  { message, place }: Pick<KeptMessage, 'message' | 'place'>,
  body: Uint8Array,
): Buffer => binaryFrame(bodyWithMeta(body, metaOf(message, positionOf(topic, place))));

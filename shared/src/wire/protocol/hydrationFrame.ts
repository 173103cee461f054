import { Encoder } from '@msgpack/msgpack';
import { maxFrameBytes, maxNesting } from './limits.js';
import { isSoundMessagePack } from './messagePackScan.js';

/** It counts what is in the innermost array as a level too; the scan behind it has the last word. */
const encoder = new Encoder({ maxDepth: maxNesting + 1 });

/**
 * A whole `hydration`, as MessagePack; undefined where it is larger, or nested deeper, than a frame may be, or holds what
 * decoders throw on: an endpoint must not be able to do that to a client.
 */
export const hydrationBody = (topicName: string, data: unknown): Uint8Array | undefined => {
  try {
    const body = encoder.encode({ type: 'hydration', topic: topicName, data });
    return body.length <= maxFrameBytes && isSoundMessagePack(body) ? body : undefined;
  } catch {
    return undefined; // Nested too deeply.
  }
};

import { Encoder } from '@msgpack/msgpack';
import { maxFrameBytes, maxNesting } from './limits.js';

const encoder = new Encoder({ maxDepth: maxNesting });

/** A whole `hydration`, as MessagePack; undefined where it is larger, or nested deeper, than a frame may be. */
export const hydrationBody = (topicName: string, data: unknown): Uint8Array | undefined => {
  try {
    const body = encoder.encode({ type: 'hydration', topic: topicName, data });
    return body.length > maxFrameBytes ? undefined : body;
  } catch {
    return undefined; // Nested too deeply.
  }
};

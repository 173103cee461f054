import type { Deferred } from '../primitives.js';
import type { Published } from './publishOptions.js';

/** A publish that the server has not answered yet. */
export interface PendingPublish {
  readonly msgRef: string;
  readonly topic: string;
  /** Undefined for one that must not be sent twice. */
  readonly id: string | undefined;
  /** A server that does not know of it would deliver it at once. */
  readonly isForLater: boolean;
  /** The frame as it was at the call: the caller may have changed its data by the time it is sent again. */
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly answer: Deferred<Published>;
  readonly cancelTimeout: () => void;
}

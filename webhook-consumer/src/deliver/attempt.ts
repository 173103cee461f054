import type { Buffer } from 'node:buffer';
import { JobRequeued } from '@roomwire/shared/ports/errors';

/** How an attempt ended. Holds no secret. */
export type AttemptResult =
  | {
      readonly kind: 'answered';
      readonly status: number;
      /** The header, as it came. */
      readonly retryAfter?: string;
      /** Of an answer that was asked for and is not too large. */
      readonly body: Buffer | undefined;
    }
  | { readonly kind: 'unreachable'; readonly isTimeout: boolean; readonly reason: string }
  | { readonly kind: 'forbidden'; readonly reason: string };

export interface Attempt {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
  /** Bytes of a 2xx answer that may be kept; 0 to acknowledge by the status alone. */
  readonly answerBytes: number;
}

/** It was cut off by ourselves, and is to be made again. */
export class AttemptCutOff extends JobRequeued {
  override readonly name = 'AttemptCutOff';
}

/** One POST. Rejects with `AttemptCutOff`, and with nothing else. */
export type MakeAttempt = (attempt: Attempt) => Promise<AttemptResult>;

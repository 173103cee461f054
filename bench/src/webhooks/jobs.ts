import type { Measurement } from '../measure/comparison.js';

/** What the process with the consumer is asked to do. */
export type ConsumerJob =
  | { readonly kind: 'open'; readonly folder: string }
  /** Puts so many calls a second on the bus, evenly, over so many rooms. */
  | {
      readonly kind: 'call';
      readonly url: string;
      readonly perSecond: number;
      readonly seconds: number;
      readonly rooms: number;
    }
  /** Puts so many calls to an endpoint that does not answer, and waits until it has been called. */
  | { readonly kind: 'hang'; readonly url: string; readonly calls: number }
  | { readonly kind: 'close' };

export type EndpointJob =
  | { readonly kind: 'open' }
  /** Forgets what has come. */
  | { readonly kind: 'begin' }
  /** Of what has come to the endpoint that answers, once so many calls have. */
  | { readonly kind: 'end'; readonly calls: number };

/** `fastPort` and `hungPort` of an `open`; the figures of an `end`. */
export type WebhookResult = Measurement;

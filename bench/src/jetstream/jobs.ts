import type { Measurement } from '../measure/comparison.js';
import { startWorker, type Worker } from '../process/worker.js';

interface JetStreamTarget {
  readonly port: number;
  readonly serverId: number;
  readonly subjects: readonly string[];
  readonly warmUpSeconds: number;
  readonly seconds: number;
}

export type JetStreamJob =
  | (JetStreamTarget & {
      readonly kind: 'publish';
      /** On a fixed schedule; undefined for as many as are acknowledged. */
      readonly messagesPerSecond: number | undefined;
      /** Publishes that are not acknowledged yet, where there is no schedule. */
      readonly window: number;
    })
  | (JetStreamTarget & {
      /** The first subject alone. */
      readonly kind: 'work';
      readonly members: number;
      /** Jobs that a member has and has not acknowledged. */
      readonly prefetch: number;
      readonly load:
        | { readonly kind: 'backlog'; readonly jobs: number }
        /** Publishes that have not been acknowledged, or not been worked off. */
        | { readonly kind: 'together'; readonly window: number };
    })
  | (JetStreamTarget & {
      readonly kind: 'resume';
      readonly subscribers: number;
      readonly missed: number;
    });

/** NATS's own client in a process of its own. */
export type JetStreamClient = Worker<JetStreamJob, Measurement>;

export const startJetStreamClient = (core: number | undefined): JetStreamClient =>
  startWorker<JetStreamJob, Measurement>(new URL('./main.js', import.meta.url), core);

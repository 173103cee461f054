import { annotated, integer, object, optional, within, type TypeOf } from '../schema.js';

const defaultJobOptions = { prefetch: 100, ackSeconds: 60, maxDeliveries: 5 } as const;

const option = (name: keyof typeof defaultJobOptions, least: number, most: number, description: string) =>
  optional(annotated({ description, default: defaultJobOptions[name] }, within(least, most, integer)));

/** How a group hands out its jobs, as far as it is said. */
export const jobOptions = object({
  prefetch: option('prefetch', 1, 1_000, 'Jobs that a member has not acknowledged, at most'),
  ackSeconds: option('ackSeconds', 5, 3_600, 'What is not acknowledged within them is handed out again'),
  maxDeliveries: option('maxDeliveries', 1, 100, 'After so many it is a dead letter'),
});
export type AskedJobOptions = TypeOf<typeof jobOptions>;

/** More than they take as MessagePack, with fields that are not known. */
export const jobOptionsBytes = 1_024;

/** How long a job that is given back may be kept, in seconds. */
export const maxJobDelaySeconds = 900;

type WholeJobOptions = { readonly [K in keyof typeof defaultJobOptions]: number };

/** What is not said is as usual. */
export const wholeJobOptions = ({
  prefetch = defaultJobOptions.prefetch,
  ackSeconds = defaultJobOptions.ackSeconds,
  maxDeliveries = defaultJobOptions.maxDeliveries,
}: AskedJobOptions): WholeJobOptions => ({ prefetch, ackSeconds, maxDeliveries });

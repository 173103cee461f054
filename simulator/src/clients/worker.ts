import type { HandedOut, JobAnswer, JobOptions } from '../run/jobs.js';
import type { World } from './world.js';

/** Sends an answer; false where the connection is over. */
export type Answer = (frame: Readonly<Record<string, unknown>>) => boolean;

const longestWorkMs = 300;
/** Longer than any `ackSeconds` that is asked for. */
const lateMs = 10_000;
/** One in so many messages is never done. */
const poisonShare = 23;

/** Few jobs and many, short and not so short. */
export const anyJobOptions = ({ chance }: World): JobOptions => ({
  prefetch: 1 + chance.below(8),
  ackSeconds: 5 + chance.below(4),
  maxDeliveries: 3 + chance.below(6),
});

/** Mostly it is done at once; otherwise it is given back, takes long, takes too long, or is never done. */
export const work = (world: World, job: HandedOut, send: Answer): void => {
  const { chance, time, isBusy } = world;
  const { msgId } = job;
  const answer = (ms: number, kind: JobAnswer['kind'], more: Readonly<Record<string, unknown>> = {}): void =>
    void time.after(undefined, ms, () => {
      if (send({ type: kind, msgId, ...more })) job.answers.push({ kind, at: time.now, isUnread: false });
    });
  const soon = chance.next() * longestWorkMs;
  if (!isBusy) return answer(soon, 'ack');
  if (job.id % poisonShare === 0) return answer(soon, 'nack', { delaySeconds: chance.below(2) });
  const dice = chance.below(100);
  if (dice < 65) return answer(soon, 'ack');
  if (dice < 77) return answer(soon, 'nack', { delaySeconds: chance.below(4) });
  if (dice < 85) {
    answer(3_000, 'progress');
    return answer(7_000, 'ack');
  }
  if (dice < 92) return answer(lateMs, 'ack');
};

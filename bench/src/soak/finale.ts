import { setTimeout as pause } from 'node:timers/promises';
import type { Crowd } from './crowd.js';
import type { Ground } from './participant.js';
import { difference } from './presenceView.js';
import type { Sent } from './ledger.js';

const lookMs = 100;
/** Those who have fallen silent are closed after a minute, and come back. */
const returnMs = 120_000;
const arriveMs = 60_000;

/**
 * The end of all publishing. Everybody loses the network at once and comes back; then everything that was promised must be
 * there: what was published, the last values, the work, and who is present.
 */
export const finish = async (crowd: Crowd, ground: Ground): Promise<void> => {
  const { guests, onlooker, herald, foreman, watchers } = crowd;
  const { findings, ledger, place } = ground;
  const staff = [onlooker, herald, foreman, ...watchers];
  const isQuiet = () => [...guests, ...staff].every((one) => !one.isConnected || one.isIdle);
  await until(isQuiet, arriveMs);
  for (const guest of guests.filter(({ isReady }) => isReady)) {
    guest.isReady = false;
    guest.end('lose');
  }
  if (!(await until(() => guests.every(({ isReady }) => isReady), returnMs)))
    findings.violated(`${guests.filter(({ isReady }) => !isReady).length} clients could not come back`);

  const undone = (): readonly Sent[] =>
    [...place.rooms.flatMap(({ jobs, tasks }) => [jobs, tasks])].flatMap((topic) =>
      Array.from({ length: topic.end - topic.begin }, (_, index) => topic.at(topic.begin + index)).filter(
        (sent) => sent.outcome === 'accepted' && !place.work.wasGiven(sent),
      ),
    );
  const differences = () => watchers.map(({ told }) => difference(told, ground.present)).filter(Boolean);
  const isAll = () =>
    ledger.unseen.length + undone().length + differences().length === 0 &&
    guests.every(({ isEven }) => isEven);
  await until(isAll, arriveMs);
  for (const guest of guests) guest.judge();
  for (const { id, topic } of ledger.unseen) findings.violated(`message ${id} of ${topic.address} was lost`);
  for (const { id, topic } of undone())
    findings.violated(`message ${id} of ${topic.address} went to no member of its worker group`);
  for (const what of differences()) findings.violated(`a lobby shows ${what}`);
};

/** Whether it came true in time. */
const until = async (isSo: () => boolean, patienceMs: number): Promise<boolean> => {
  const deadline = performance.now() + patienceMs;
  while (!isSo()) {
    if (performance.now() > deadline) return false;
    await pause(lookMs);
  }
  return true;
};

import type { Line } from './line.js';

/** Small sends keep a lane from starving the others, and few of them from costing more than what they measure. */
const sendsAWindow = 8;

/**
 * Replaces each message that was both acknowledged and received by a new one. Messages are numbered so that those of
 * a lane have the same remainder. Returns what ends it.
 */
export const keepInFlight = (line: Line, window: number): (() => void) => {
  const { lanes, arrivals } = line;
  const share = Math.ceil(window / lanes.length);
  const next = lanes.map((_, index) => index);
  const begun = lanes.map((lane, index) => ({ sent: lane.sent, received: arrivals.receivedOf(index) }));

  const refill = (isFirst: boolean): void => {
    for (const [index, lane] of lanes.entries()) {
      const { sent = 0, received = 0 } = begun[index] ?? {};
      const done = Math.min(lane.acknowledged - sent, arrivals.receivedOf(index) - received);
      const free = share - (lane.sent - sent - done);
      if (free < (isFirst ? 1 : share / sendsAWindow)) continue;
      const first = next[index] ?? 0;
      next[index] = first + free * lanes.length;
      lane.send(Array.from({ length: free }, (_, n) => first + n * lanes.length));
    }
  };
  line.onProgress = () => refill(false);
  refill(true);
  return () => (line.onProgress = undefined);
};

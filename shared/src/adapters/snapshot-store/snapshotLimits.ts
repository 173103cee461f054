import type { SnapshotLimits } from '../../ports/snapshotStore.js';
import { limitTable } from '../../wire/limits/limitTable.js';

const dayMs = 86_400_000;

export const defaultSnapshotLimits: SnapshotLimits = {
  retentionMs: limitTable.snapshotRetention.value * dayMs,
  snapshots: limitTable.snapshots.value,
  bytes: limitTable.snapshotBytes.value,
};

interface Kept {
  readonly stream: string;
  readonly writtenAt: number;
  readonly bytes: number;
}

/** The streams whose snapshots must go. */
export const beyondLimits = (
  kept: readonly Kept[],
  limits: SnapshotLimits,
  now: number,
): readonly string[] => {
  const newestFirst = [...kept].sort((one, other) => other.writtenAt - one.writtenAt);
  let bytes = 0;
  return newestFirst
    .filter((each, index) => {
      bytes += each.bytes;
      const isExpired = each.writtenAt <= now - limits.retentionMs;
      return isExpired || index >= limits.snapshots || bytes > limits.bytes;
    })
    .map(({ stream }) => stream);
};

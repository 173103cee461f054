import type { ReadingPositions } from '@roomwire/shared/ports/jobStore';
import type { Logger } from '@roomwire/shared/ports/logger';
import type { RoomPast } from '@roomwire/shared/ports/roomPast';
import type { OwnedGroup } from './ownedGroup.js';

/** So many earlier records are read once more, to recognize a second copy whose first was read before. */
const lookBack = 2_000;

/** Gives groups what was published since their former owner has collected for them. Their rooms must be read by now. */
export const catchUp = async (
  past: RoomPast,
  groups: readonly OwnedGroup[],
  positions: ReadingPositions,
  logger: Logger,
): Promise<void> => {
  for (const [partition, collecting] of byPartition(past, groups)) {
    const passed = positions.get(partition) ?? -1;
    const from = Math.min(...collecting.map(({ collected }) => Math.max(collected, passed)));
    const byTopic = new Map<string, OwnedGroup[]>();
    for (const group of collecting) {
      const { topic } = group.record;
      byTopic.set(topic, [...(byTopic.get(topic) ?? []), group]);
    }
    const expired = (first: number): void => {
      if (first > from + 1)
        logger.error('Messages had expired before they were jobs', { partition, behind: from, first });
    };
    for await (const page of past.behind(partition, Math.max(-1, from - lookBack), expired))
      for (const { message, offset } of page)
        for (const group of byTopic.get(message.topic) ?? [])
          if (offset > from) group.take(message, offset);
          else group.hadBefore(message.id);
  }
};

const byPartition = (
  past: RoomPast,
  groups: readonly OwnedGroup[],
): ReadonlyMap<number, readonly OwnedGroup[]> => {
  const found = new Map<number, OwnedGroup[]>();
  for (const group of groups) {
    if (!group.hasLog) continue;
    const partition = past.partitionOf(group.record.room);
    found.set(partition, [...(found.get(partition) ?? []), group]);
  }
  return found;
};

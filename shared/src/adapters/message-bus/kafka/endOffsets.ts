import type { Admin } from 'kafkajs';
import type { Renewable } from './renewable.js';
import { untilAnswered } from './untilAnswered.js';
import { within } from './within.js';

/**
 * Where the partitions of one topic end, that is: the place of the next record. What comes to ask while an answer
 * is awaited shares the next one, so that a thousand readers that come at the same time ask twice.
 */
export class EndOffsets {
  private readonly ask: () => Promise<readonly number[]>;
  private asking: Promise<readonly number[]> | undefined;
  private next: Promise<readonly number[]> | undefined;

  constructor(admin: Renewable<Admin>, topic: string, withinMs: number) {
    const ask = () => untilAnswered(() => admin.use((client) => fetchEndOffsets(client, topic)), withinMs);
    // An attempt may take longer than there is time.
    this.ask = () => within(withinMs, ask());
  }

  /** As of a moment after the call. */
  fetch(): Promise<readonly number[]> {
    if (!this.asking) return this.begin();
    return (this.next ??= this.asking.then(
      () => this.begin(),
      () => this.begin(),
    ));
  }

  private begin(): Promise<readonly number[]> {
    this.next = undefined;
    const asking = this.ask();
    this.asking = asking;
    const ended = (): void => {
      if (this.asking === asking) this.asking = undefined;
    };
    asking.then(ended, ended);
    return asking;
  }
}

/** By partition. */
const fetchEndOffsets = async (admin: Admin, topic: string): Promise<readonly number[]> => {
  const ends: number[] = [];
  for (const { partition, high } of await admin.fetchTopicOffsets(topic)) ends[partition] = Number(high);
  return ends;
};

/** By partition; -1 where the group has not committed anything. */
export const fetchCommittedOffsets = async (
  admin: Admin,
  topic: string,
  groupId: string,
): Promise<readonly number[]> => {
  const committed: number[] = [];
  const [offsets] = await admin.fetchOffsets({ groupId, topics: [topic] });
  for (const { partition, offset } of offsets?.partitions ?? []) committed[partition] = Number(offset);
  return committed;
};

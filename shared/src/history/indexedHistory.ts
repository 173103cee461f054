import { EngineUnavailable } from '../ports/errors.js';
import type { History, HistoryOwners, HistoryTopic, HistoryView } from '../ports/history.js';
import { identityOf, type Place } from '../wire/protocol/position.js';
import type { HistoryIndex } from '../ports/historyIndex.js';
import { SharedAnswer } from '../runtime/sharedAnswer.js';
import type { HistoryPartitions } from './historyPartitions.js';
import { MergedView } from './mergedView.js';
import { RecentViews } from './recentViews.js';

/** An epoch that begins between two steps of a look is rare. */
const mostTries = 3;

/** The history in an index, and in the partitions of the bus behind it. */
export class IndexedHistory implements History {
  private readonly index: Pick<HistoryIndex, 'topic' | 'deleteTopic'>;
  private readonly partitions: HistoryPartitions;
  /** By topic: those who look at once share a view, and what they read of it. */
  private readonly looks = new Map<string, SharedAnswer<HistoryView>>();
  private readonly recent = new RecentViews();

  constructor(index: Pick<HistoryIndex, 'topic' | 'deleteTopic'>, partitions: HistoryPartitions) {
    this.index = index;
    this.partitions = partitions;
  }

  async look(topic: HistoryTopic): Promise<HistoryView> {
    const key = identityOf(topic);
    const look =
      this.looks.get(key) ?? new SharedAnswer(async () => this.recent.latest(key, await this.lookNow(topic)));
    this.looks.set(key, look);
    try {
      return await look.get();
    } finally {
      if (look.isIdle && this.looks.get(key) === look) this.looks.delete(key);
    }
  }

  epochOf(room: string): number | undefined {
    return this.partitions.epochOf(room);
  }

  indexed(): Promise<void> {
    return this.partitions.indexed();
  }

  /** The owners may be those of something that has more, as an app has a name. */
  deleteTopic(topic: HistoryTopic, { projectId, appId }: HistoryOwners, to: Place): Promise<void> {
    return this.index.deleteTopic(topic, { projectId, appId }, to);
  }

  /** The end first, and what the index has then: what leaves the tail meanwhile is in the index. */
  private async lookNow(topic: HistoryTopic): Promise<MergedView> {
    for (let tries = 1; tries <= mostTries; tries += 1) {
      const end = await this.partitions.endOf(topic.room);
      const indexed = await this.index.topic(topic);
      if ((indexed.newest?.place.epoch ?? 0) <= end.epoch)
        return MergedView.of(end, indexed, topic, () => this.index.topic(topic));
    }
    throw new EngineUnavailable('message history');
  }
}

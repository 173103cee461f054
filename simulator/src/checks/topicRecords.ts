import type { HistoryTopic } from '@roomwire/shared/ports/history';
import { acceptedAt } from '@roomwire/shared/wire/bus/messageId';
import { placeOf } from '@roomwire/shared/wire/protocol/position';
import type { History } from '../run/history.js';
import type { Copy, Published } from '../run/published.js';

/** What was stored before `from` is gone from `goneAt` on. */
interface Deletion {
  readonly from: number;
  readonly goneAt: number;
}

interface Changes {
  readonly changes: History['recordChanges'];
  readonly deletions: readonly Deletion[];
}

/** A record of the bus, and whose it is. */
export interface Stored extends Copy {
  readonly message: Published;
  /** The latest time at which this one, or one before it, was accepted. */
  readonly latestAt: number;
}

/** What the bus holds of one topic, by offset. */
export class TopicRecord {
  /** Everything. */
  readonly stored: readonly Stored[];
  /** What the record has, but for what was removed: of each message the first copy that is kept. */
  readonly kept: readonly Stored[];
  /** Whether nothing of it was ever removed. */
  readonly isSteady: boolean;
  private readonly topic: HistoryTopic;
  private readonly changes: History['recordChanges'];
  private readonly deletions: readonly Deletion[];
  private readonly acknowledgements: readonly { readonly at: number; readonly stored: Stored }[];

  constructor(topic: HistoryTopic, stored: readonly Stored[], { changes, deletions }: Changes) {
    this.topic = topic;
    this.stored = stored;
    this.changes = changes;
    this.deletions = deletions;
    this.isSteady = topic.name === 'news';
    const seen = new Set<string>();
    let latestAt = 0;
    this.kept = stored.flatMap((each) => {
      if (each.keptIn === undefined || seen.has(each.messageId)) return [];
      seen.add(each.messageId);
      latestAt = Math.max(latestAt, acceptedAt(each.messageId));
      return [{ ...each, latestAt }];
    });
    this.acknowledgements = this.kept.flatMap((each) => {
      const { message } = each;
      return message.waitsForBus && message.isAccepted && !message.isLater
        ? [{ at: acknowledgedAt(message), stored: each }]
        : [];
    });
  }

  /** Undefined for what is no position of the topic; before everything for the empty one. */
  offsetOf(position: string): number | undefined {
    return position === '' ? -1 : placeOf(this.topic, position)?.offset;
  }

  /** [WS-HIST-3] Those of which every read has to know. */
  acknowledgedBefore(time: number): readonly Stored[] {
    return this.acknowledgements.flatMap(({ at, stored }) => (at < time ? stored : []));
  }

  /** [WS-HIST-13] Whether all of a message was there when a deletion began that was over by then. */
  wasDeletedBefore(id: number, time: number): boolean {
    const copies = this.stored.filter(({ message }) => message.id === id);
    return this.deletions.some(({ from, goneAt }) => goneAt < time && copies.every(({ at }) => at < from));
  }

  /** Whether messages may have been removed meanwhile. */
  isChanging(from: number, to: number): boolean {
    return this.changes.some(({ askedAt, answeredAt }) => askedAt < to && from < answeredAt + removalMs);
  }
}

/** In which time what a change removes is gone. */
const removalMs = 60_000;

const acknowledgedAt = ({ attempts }: Published): number =>
  Math.min(
    ...attempts.map(({ outcome, answeredAt }) =>
      outcome === 'accepted' || outcome === 'duplicate' ? answeredAt : Infinity,
    ),
  );

/** In which time the projections have deleted what was switched off, where nothing disturbs them. */
const calmMs = 15_000;

/** [WS-HIST-13] Those that are over for certain. Of what is soon on again it depends on clocks what is deleted. */
const deletionsBy = (history: History, changes: History['recordChanges']): readonly Deletion[] =>
  changes.flatMap(({ kind, askedAt, answeredAt }): readonly Deletion[] => {
    if (kind === 'deleted') return [{ from: askedAt, goneAt: answeredAt }];
    const goneAt = answeredAt + calmMs;
    const isUneasy =
      history.isDisturbed(askedAt - calmMs, goneAt) ||
      changes.some(
        (other) =>
          other.kind !== 'deleted' &&
          askedAt < other.answeredAt &&
          other.askedAt < goneAt &&
          other.askedAt !== askedAt,
      );
    return kind === 'off' && !isUneasy ? [{ from: askedAt, goneAt }] : [];
  });

/** Of all topics with history, by their addresses. */
export class TopicRecords {
  private readonly byTopic: ReadonlyMap<string, TopicRecord>;

  constructor(history: History) {
    const { published, recordChanges } = history;
    const found = new Map<string, Stored[]>();
    for (const message of published)
      for (const copy of message.copies) {
        const stored = found.get(message.topic) ?? [];
        found.set(message.topic, stored);
        stored.push({ ...copy, message, latestAt: 0 });
      }
    this.byTopic = new Map(
      [...found].flatMap(([address, stored]) => {
        const topic = stored.find(({ keptIn }) => keptIn !== undefined)?.keptIn;
        if (topic === undefined) return [];
        const [, room] = address.split('/');
        const changes = recordChanges.filter(
          (change) => change.name === topic.name && (change.room === undefined || change.room === room),
        );
        stored.sort((one, other) => one.offset - other.offset);
        return [
          [
            address,
            new TopicRecord(topic, stored, { changes, deletions: deletionsBy(history, changes) }),
          ] as const,
        ];
      }),
    );
  }

  of(topic: string): TopicRecord | undefined {
    return this.byTopic.get(topic);
  }
}

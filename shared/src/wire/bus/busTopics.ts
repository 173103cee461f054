import { circuitNewsChannel } from './circuitNews.js';
import { connectionFacts } from './connectionFacts.js';
import { jobNews } from './jobNews.js';
import { domainEventFeed } from './domainEventFeed.js';
import { eventEnds } from './eventEnds.js';
import { feedSpans } from './feedSpans.js';
import { gatewayNews } from './gatewayNews.js';
import { gatewayAnswers, gatewayQuestions } from './gatewayQuestions.js';
import { liveMessages, retainedMessages } from './liveMessage.js';
import { eventRedrives, jobRedrives, scheduleRedrives } from './lostWork.js';
import { recordedMessages, retentionClasses, retentionMs } from './recordedMessages.js';
import { presenceNews } from './presenceNews.js';
import { readerAnnouncements } from './readers.js';
import {
  parkedWebhookCalls,
  webhookAnswers,
  webhookBacklog,
  webhookCalls,
  webhookRetries,
  webhookWaits,
} from './webhookCalls.js';
import { webhookOutcomes } from './webhookOutcomes.js';
import { webhookReports } from './webhookReports.js';

/** How an engine stores the records of a channel or a work queue. `docs/KAFKA.md` gives the reasons. */
export interface BusTopic {
  readonly name: string;
  /** Must never change: the order by key and the assignment to readers depend on it. */
  readonly partitions: number;
  readonly retentionMs: number;
  readonly cleanup: 'delete' | 'compact';
  /** Of one record, with its key. */
  readonly maxRecordBytes: number;
}

const hours = 3_600_000;
const days = 24 * hours;

/** Fits a frame of 1 MiB with its envelope. */
const maxRecordBytes = 2 * 1024 * 1024;

/** Default for topics not declared below: long enough for jobs that wait over a holiday. */
export const otherTopics: Omit<BusTopic, 'name'> = {
  partitions: 8,
  retentionMs: 14 * days,
  cleanup: 'delete',
  maxRecordBytes,
};

export const busTopics: readonly BusTopic[] = [
  // Gateways read it live only; an hour is for other readers and for troubleshooting.
  { ...otherTopics, name: liveMessages.name, partitions: 32, retentionMs: hours },
  // Every gateway reads all of it, live: the values are in memory alone.
  { ...otherTopics, name: retainedMessages.name, partitions: 4, retentionMs: hours },
  { ...otherTopics, name: domainEventFeed.name, partitions: 4, retentionMs: 7 * days },
  // One partition, which is the order of the log.
  { ...otherTopics, name: feedSpans.name, partitions: 1, retentionMs: hours },
  // One partition, so that a process that reads its own beats has read those of the others before them.
  { ...otherTopics, name: gatewayNews.name, partitions: 1, retentionMs: hours },
  { ...otherTopics, name: presenceNews.name, partitions: 8, retentionMs: hours },
  // Jobs on their way to members on other gateways than their owner.
  { ...otherTopics, name: jobNews.name, partitions: 16, retentionMs: hours },
  { ...otherTopics, name: readerAnnouncements.name, partitions: 1, retentionMs: hours },
  // As many consumers as there are partitions can share the work.
  { ...otherTopics, name: webhookCalls.name, partitions: 16 },
  ...webhookRetries.map(({ name }) => ({ ...otherTopics, name })),
  // Few calls wait for so long.
  ...webhookWaits.map(({ name }) => ({ ...otherTopics, name, partitions: 4 })),
  // Slow endpoints delay one another where they share a partition.
  { ...otherTopics, name: webhookBacklog.name, partitions: 16 },
  { ...otherTopics, name: parkedWebhookCalls.name, partitions: 16 },
  { ...otherTopics, name: circuitNewsChannel.name, partitions: 1, retentionMs: hours },
  { ...otherTopics, name: webhookReports.name },
  ...[eventRedrives, jobRedrives, scheduleRedrives].map(({ name }) => ({
    ...otherTopics,
    name,
    partitions: 4,
  })),
  { ...otherTopics, name: eventEnds.name, retentionMs: hours },
  { ...otherTopics, name: webhookAnswers.name, retentionMs: hours },
  // Whoever asks waits for seconds.
  { ...otherTopics, name: gatewayQuestions.name, retentionMs: hours },
  { ...otherTopics, name: gatewayAnswers.name, retentionMs: hours },
  // One partition, which is one order of all gateways. As long as the record of it, so that it can be made again.
  { ...otherTopics, name: connectionFacts.name, partitions: 1, retentionMs: 7 * days },
  // A record for each attempt: long enough for a reader that was down overnight.
  { ...otherTopics, name: webhookOutcomes.name, retentionMs: days },
];

/** Used only where messages are recorded. */
export const recordTopics: readonly BusTopic[] = retentionClasses.map((retention) => ({
  ...otherTopics,
  name: recordedMessages[retention].name,
  // A replay reads a time range of a whole partition: with more partitions, fewer of the records belong to other rooms.
  partitions: 32,
  retentionMs: retentionMs(retention),
}));

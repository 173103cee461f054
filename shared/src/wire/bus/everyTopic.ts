import { circuitNewsChannel } from './circuitNews.js';
import { connectionFacts } from './connectionFacts.js';
import { domainEventFeed } from './domainEventFeed.js';
import { eventEnds } from './eventEnds.js';
import { feedSpans } from './feedSpans.js';
import { gatewayNews } from './gatewayNews.js';
import { gatewayAnswers, gatewayQuestions } from './gatewayQuestions.js';
import { jobNews } from './jobNews.js';
import { retainedMessages } from './liveMessage.js';
import { eventRedrives, jobRedrives, scheduleRedrives } from './lostWork.js';
import { presenceNews } from './presenceNews.js';
import { readerAnnouncements } from './readers.js';
import { roomRecords } from './roomRecord.js';
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

/** Of each name the channel that reads all that is on it, for those that know nothing but the name. */
export const everyChannel = [
  ...[roomRecords, retainedMessages, domainEventFeed, presenceNews, gatewayNews, jobNews],
  ...[gatewayQuestions, gatewayAnswers, webhookAnswers, webhookOutcomes, circuitNewsChannel],
  ...[eventEnds, connectionFacts, readerAnnouncements, feedSpans],
] as const;

export const everyQueue = [
  ...[webhookCalls, ...webhookRetries, ...webhookWaits, webhookBacklog, parkedWebhookCalls, webhookReports],
  ...[eventRedrives, jobRedrives, scheduleRedrives],
] as const;

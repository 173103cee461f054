import { recordTopics } from '../bus/busTopics.js';
import { circuitNewsChannel, circuitNewsRecord } from '../bus/circuitNews.js';
import { domainEventFeed, recordedEvent } from '../bus/domainEventFeed.js';
import { eventEndRecord, eventEnds } from '../bus/eventEnds.js';
import { feedSpanRecord, feedSpans } from '../bus/feedSpans.js';
import { gatewayNews, gatewayNewsRecord } from '../bus/gatewayNews.js';
import { jobNews, jobNewsRecord } from '../bus/jobNews.js';
import {
  gatewayAnswerRecord,
  gatewayAnswers,
  gatewayQuestionRecord,
  gatewayQuestions,
} from '../bus/gatewayQuestions.js';
import { groupRecordSchema } from '../bus/groupRecord.js';
import {
  liveMessageRecord,
  liveMessages,
  retainedMessageRecord,
  retainedMessages,
} from '../bus/liveMessage.js';
import { eventRedrives, jobRedrives, redrivenWorkRecord, scheduleRedrives } from '../bus/lostWork.js';
import { presenceNews, presenceNewsRecord } from '../bus/presenceNews.js';
import { readerAnnouncementRecord, readerAnnouncements } from '../bus/readers.js';
import {
  parkedWebhookCalls,
  webhookAnswerRecord,
  webhookAnswers,
  webhookBacklog,
  webhookCallRecord,
  webhookCalls,
  webhookRetries,
  webhookWaits,
} from '../bus/webhookCalls.js';
import { connectionFacts, factBatchRecord } from '../bus/connectionFacts.js';
import { webhookOutcomeRecord, webhookOutcomes } from '../bus/webhookOutcomes.js';
import { webhookReportRecord, webhookReports } from '../bus/webhookReports.js';
import { union, type JsonSchema } from '../schema.js';

export interface BusMessage {
  readonly summary: string;
  readonly key: string;
  readonly contentType: 'application/msgpack' | 'application/json';
  /** As it is decoded from the content type. */
  readonly payload: JsonSchema;
}

const msgpack = 'application/msgpack';
const recorded: BusMessage = {
  summary: 'A message of a topic that is logged',
  key: 'room',
  contentType: msgpack,
  payload: liveMessageRecord.json,
};

const webhookCall = (queue: string): BusMessage => ({
  summary: 'A webhook call that is to be made, with all that it needs',
  key: [webhookBacklog.name, parkedWebhookCalls.name].includes(queue) ? 'project' : 'room',
  contentType: msgpack,
  payload: webhookCallRecord.json,
});

/** The records of each topic of the bus, by the topic's name. */
export const busMessages: Readonly<Record<string, BusMessage>> = {
  [liveMessages.name]: {
    summary: 'A published message, on its way between gateways, or a command in the log of a worker group',
    key: 'room',
    contentType: msgpack,
    payload: union(liveMessageRecord, groupRecordSchema).json,
  },
  [retainedMessages.name]: {
    summary: 'A retained message once more, for the memory of every gateway',
    key: 'room',
    contentType: msgpack,
    payload: retainedMessageRecord.json,
  },
  [domainEventFeed.name]: {
    summary: 'An event of the control plane, once the read models hold it',
    key: 'the project, or the organization for what has no project',
    contentType: 'application/json',
    payload: recordedEvent.json,
  },
  [feedSpans.name]: {
    summary:
      'How many events of a stretch of the log are on `domain-events`, so that a reader knows whether it has all',
    key: 'the version of the read models',
    contentType: msgpack,
    payload: feedSpanRecord.json,
  },
  [jobNews.name]: {
    summary:
      'Jobs of a worker group on their way to a member on another gateway, or what that says to their owner',
    key: 'to: the shard of the room, the process, or all',
    contentType: msgpack,
    payload: jobNewsRecord.json,
  },
  [gatewayNews.name]: {
    summary: 'A record of a gateway about itself: a heartbeat, a start, an end, or its state',
    key: 'gatewayId',
    contentType: msgpack,
    payload: gatewayNewsRecord.json,
  },
  [gatewayQuestions.name]: {
    summary: 'What a process asks a gateway that alone knows it',
    key: 'the gateway that is asked',
    contentType: msgpack,
    payload: gatewayQuestionRecord.json,
  },
  [gatewayAnswers.name]: {
    summary: 'The answer of a gateway to such a question',
    key: 'the process that asked',
    contentType: msgpack,
    payload: gatewayAnswerRecord.json,
  },
  ...Object.fromEntries(
    [webhookCalls, ...webhookRetries, ...webhookWaits, webhookBacklog, parkedWebhookCalls].map(({ name }) => [
      name,
      webhookCall(name),
    ]),
  ),
  [webhookReports.name]: {
    summary: 'What has failed for good, or how the redrive of a dead letter has ended',
    key: 'the id of the call, or of the dead letter',
    contentType: msgpack,
    payload: webhookReportRecord.json,
  },
  [eventRedrives.name]: {
    summary: 'The call of a room event that an operator wants made again',
    key: 'room',
    contentType: msgpack,
    payload: webhookCallRecord.json,
  },
  ...Object.fromEntries(
    [jobRedrives, scheduleRedrives].map(({ name }) => [
      name,
      {
        summary: 'A dead letter, other than of a webhook call, that an operator wants done once more',
        key: 'room',
        contentType: msgpack,
        payload: redrivenWorkRecord.json,
      },
    ]),
  ),
  [circuitNewsChannel.name]: {
    summary: 'What a process that makes webhook calls has seen of endpoints that do not answer',
    key: 'the process',
    contentType: msgpack,
    payload: circuitNewsRecord.json,
  },
  [eventEnds.name]: {
    summary: 'How far the webhook of a room has its events, from the consumer that has called it',
    key: 'room and scope, by their ids',
    contentType: msgpack,
    payload: eventEndRecord.json,
  },
  [webhookAnswers.name]: {
    summary: 'What a hydration webhook has answered, on its way to the subscriber',
    key: 'gatewayId',
    contentType: msgpack,
    payload: webhookAnswerRecord.json,
  },
  [connectionFacts.name]: {
    summary: 'What happened to the connections of a gateway in a time, for the record of it',
    key: 'gatewayId',
    contentType: msgpack,
    payload: factBatchRecord.json,
  },
  [webhookOutcomes.name]: {
    summary: 'The outcome of one attempt of a webhook call, for monitoring',
    key: 'projectId',
    contentType: msgpack,
    payload: webhookOutcomeRecord.json,
  },
  ...Object.fromEntries(recordTopics.map(({ name }) => [name, recorded])),
  [presenceNews.name]: {
    summary: 'A record of a gateway about the presence of one of its connections',
    key: 'room',
    contentType: msgpack,
    payload: presenceNewsRecord.json,
  },
  [readerAnnouncements.name]: {
    summary: 'The versions of records that a process reads',
    key: 'the id of the process',
    contentType: msgpack,
    payload: readerAnnouncementRecord.json,
  },
};

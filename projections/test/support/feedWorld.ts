import type { RecordedEvent } from '@roomwire/shared/domain/eventEnvelope';
import type { DomainEvent } from '@roomwire/shared/domain/events';
import type { EventLog } from '@roomwire/shared/ports/eventLog';
import type { MessageBus } from '@roomwire/shared/ports/messageBus';
import type { ViewStore } from '@roomwire/shared/ports/viewStore';
import { feedSpans, type FeedSpan } from '@roomwire/shared/wire/bus/feedSpans';
import type { WebhookCall } from '@roomwire/shared/wire/bus/webhookCalls';
import { createRecordingLogger } from '@roomwire/testing/fakes/loggers';
import { ManualClock } from '@roomwire/testing/fakes/manualClock';
import { noPayloads } from '@roomwire/testing/fakes/noPayloads';
import { newEvent, positionOf, recordedEvent } from './history.js';

export const clock = new ManualClock();

const atNow = (event: RecordedEvent): RecordedEvent => {
  const occurredAt = new Date(clock.now()).toISOString();
  return { ...event, metadata: { ...event.metadata, occurredAt } };
};

/** An event that happens now. */
export const event = (index: number): RecordedEvent =>
  atNow(recordedEvent({ type: 'RoomDeleted', data: { roomId: 'r', appId: 'a' } }, index));

/** A redrive that is asked for now. */
export const redriven = (dlqId: string, index: number): RecordedEvent => {
  const data = { dlqId, redriveId: `redrive of ${dlqId}`, redriveCount: 1, redrivenBy: 'session:ada' };
  const asked: DomainEvent = { type: 'DeadLetterRedriven', data };
  return atNow({ ...newEvent(asked, index), stream: 's', revision: index, position: positionOf(index) });
};

/** What a feed is given, and what comes of it. Every dead letter is there, with its payload. */
export const feedWorld = (log: EventLog) => {
  const fed: string[] = [];
  const spans: FeedSpan[] = [];
  const calls: WebhookCall[] = [];
  const admitted: (string | undefined)[] = [];
  const { logger, lines } = createRecordingLogger();
  const state = { admitsReaders: true, written: undefined as string | undefined };
  const views = {
    admitsReaders: async () => state.admitsReaders,
    async admitReaders(upTo: string | undefined) {
      admitted.push(upTo);
      state.admitsReaders = true;
    },
    async get(view: string, id: string) {
      if (view === 'feedProgress' && state.written !== undefined) return { position: state.written };
      return view === 'deadLetters' ? deadLetter(id) : undefined;
    },
  } as unknown as ViewStore;
  const bus = {
    async send(channel: unknown, record: RecordedEvent & FeedSpan) {
      if (channel === feedSpans) spans.push(record);
      else fed.push(record.position);
    },
    put: async (_queue: unknown, call: WebhookCall) => void calls.push(call),
  } as unknown as MessageBus;
  return {
    ...{ fed, spans, calls, admitted, lines, state },
    deps: { log, views, bus, clock, logger, payloads: noPayloads },
  };
};

const deadLetter = (dlqId: string) => ({
  ...{ dlqId, kind: 'trigger', url: 'https://example.com/hook' },
  ...{ organizationId: 'o', projectId: 'p', appId: 'a' },
  createdAt: new Date(clock.now()).toISOString(),
  payload: {
    requestHeaders: { 'X-Kind': 'chat' },
    requestBody: { roomName: 'lobby', topicName: 'chat', actorId: 'ada', scope: null, data: { text: 'hi' } },
  },
});

import { decode } from '@msgpack/msgpack';
import { Ajv } from 'ajv';
import { expect } from 'chai';
import { busMessages } from '../../../src/wire/asyncapi/busMessages.js';
import { describeAsyncApi } from '../../../src/wire/asyncapi/describeAsyncApi.js';
import { busTopics, recordTopics } from '../../../src/wire/bus/busTopics.js';
import { circuitNewsChannel } from '../../../src/wire/bus/circuitNews.js';
import { domainEventFeed } from '../../../src/wire/bus/domainEventFeed.js';
import { eventEnds } from '../../../src/wire/bus/eventEnds.js';
import { feedSpans } from '../../../src/wire/bus/feedSpans.js';
import { gatewayNews, type GatewayNews } from '../../../src/wire/bus/gatewayNews.js';
import {
  gatewayAnswers,
  gatewayQuestions,
  type GatewayAnswer,
  type GatewayQuestion,
} from '../../../src/wire/bus/gatewayQuestions.js';
import { liveMessages, retainedMessages, type LiveMessage } from '../../../src/wire/bus/liveMessage.js';
import {
  eventRedrives,
  jobRedrives,
  type LostWork,
  scheduleRedrives,
} from '../../../src/wire/bus/lostWork.js';
import { encodeAccounted, presenceNews, type PresenceNews } from '../../../src/wire/bus/presenceNews.js';
import { readerAnnouncements } from '../../../src/wire/bus/readers.js';
import { recordedMessages } from '../../../src/wire/bus/recordedMessages.js';
import { roomRecords } from '../../../src/wire/bus/roomRecord.js';
import {
  parkedWebhookCalls,
  type CallOrigin,
  webhookAnswers,
  webhookBacklog,
  type WebhookCall,
  webhookCalls,
  webhookRetries,
} from '../../../src/wire/bus/webhookCalls.js';
import { webhookReports } from '../../../src/wire/bus/webhookReports.js';
import { webhookOutcomes } from '../../../src/wire/bus/webhookOutcomes.js';
import { groupRecordSamples } from '../bus/groupRecordSamples.js';
import { outcomeSamples } from '../bus/outcomeSamples.js';
import type { Channel } from '../../../src/wire/bus/channel.js';

const ajv = new Ajv({ strict: false, validateFormats: false });

const isDescribed = <T>({ name, codec }: Pick<Channel<T>, 'name' | 'codec'>, record: T): boolean => {
  const { contentType, payload } = busMessages[name] as NonNullable<(typeof busMessages)[string]>;
  const bytes = codec.encode(record);
  const value: unknown =
    contentType === 'application/json' ? JSON.parse(Buffer.from(bytes).toString()) : decode(bytes);
  return ajv.validate(payload, value);
};

describe('the records of the bus in the AsyncAPI document', () => {
  const { channels } = describeAsyncApi() as {
    channels: Record<string, { address: string; bindings: { kafka: { partitions: number } } }>;
  };

  it('exist for every topic, and for no other', () => {
    const topics = [...busTopics, ...recordTopics];
    const names = topics.map(({ name }) => name);
    expect(Object.keys(busMessages)).to.have.members(names);
    expect(Object.keys(channels)).to.have.members(['socket', ...names]);
    for (const { name, partitions } of topics) {
      expect(channels[name]?.address).to.equal(name);
      expect(channels[name]?.bindings.kafka.partitions).to.equal(partitions);
    }
  });

  const message: LiveMessage = {
    id: 'i',
    room: 'p/a/_/r',
    topic: 'p/a/_/r/t',
    projectId: 'p',
    publisher: 'x',
    qos: 2,
    filters: ['f'],
    body: Uint8Array.of(0x80),
    retention: undefined,
  };
  const retention = { stamp: '1', appId: 'a', roomId: 'r', accessScopeId: null };

  it('match the encoding of messages', () => {
    expect(isDescribed(liveMessages, message)).to.equal(true);
    expect(isDescribed(liveMessages, { ...message, retention })).to.equal(true);
    expect(isDescribed(retainedMessages, { ...message, retention })).to.equal(true);
    for (const channel of Object.values(recordedMessages))
      expect(isDescribed(channel, message)).to.equal(true);
    expect(ajv.validate(busMessages['messages']?.payload ?? {}, [1, 'room'])).to.equal(false);
    expect(ajv.validate(busMessages['messages']?.payload ?? {}, [])).to.equal(false);
  });

  for (const each of groupRecordSamples)
    it(`match news of worker groups: ${each.kind}`, () =>
      expect(isDescribed(roomRecords, each)).to.equal(true));

  const ofGateway = { gatewayId: 'g' };
  const news: { readonly [K in GatewayNews['kind']]: Extract<GatewayNews, { kind: K }> } = {
    beat: { kind: 'beat', ...ofGateway, number: 1, report: { connections: { o: 2 }, presenceSequence: 3 } },
    hello: { kind: 'hello', ...ofGateway },
    goodbye: { kind: 'goodbye', ...ofGateway },
    ask: { kind: 'ask', ...ofGateway, to: 'h' },
    state: { kind: 'state', ...ofGateway, from: 1, upTo: 2 },
    account: { kind: 'account', ...ofGateway, to: ['h'], account: 1, parts: 2, from: 3 },
    leases: {
      ...{ kind: 'leases', ...ofGateway },
      statements: [
        {
          key: 'k',
          held: 1,
          claim: { number: 1, upTo: 2 },
          asks: true,
          answers: [{ ...ofGateway, number: 1 }],
        },
      ],
    },
  };
  for (const [kind, each] of Object.entries(news))
    it(`match news of a gateway: ${kind}`, () => expect(isDescribed(gatewayNews, each)).to.equal(true));

  const record = { gatewayId: 'g', sequence: 1, connection: 2, room: 'p/a/_/r', actorTokenId: 'x' };
  const put = { ...record, presence: Uint8Array.of(0x80), joinedAt: 1, rank: 1 };
  const account = { ...ofGateway, to: ['h'], account: 1, part: 1, from: 1, room: 'p/a/_/r' };
  const presences: { readonly [K in PresenceNews['kind']]: PresenceNews } = {
    enter: { kind: 'enter', ...put },
    change: { kind: 'change', ...put },
    again: { kind: 'again', ...put },
    leave: { kind: 'leave', ...record },
    account: { kind: 'account', ...account, presences: encodeAccounted([put]) },
  };
  for (const [kind, each] of Object.entries(presences))
    it(`match presences: ${kind}`, () => expect(isDescribed(presenceNews, each)).to.equal(true));

  const ofRoom = { projectId: 'p', roomId: 'r' };
  const options = { prefetch: 1, ackSeconds: 5, maxDeliveries: 2 };
  const group = {
    ...{ groupId: 'g', topic: 't', name: 'n', accessScopeId: 's', options, depth: 1, inFlight: 1 },
    ...{ oldestAt: 7, members: 2, createdAt: 6 },
  };
  const job = { msgId: 'm', from: 'x', at: 7, deliveries: 1, filters: ['f'], body: Uint8Array.of(0x80) };
  const questions: { readonly [K in GatewayQuestion['kind']]: Extract<GatewayQuestion, { kind: K }> } = {
    presence: { kind: 'presence', room: 'p/a/_/r', limit: 10, after: 'x' },
    occupancy: { kind: 'occupancy', rooms: ['p/a/_/r'] },
    impact: { kind: 'impact', projectId: 'p', events: '[]' },
    actorImpact: { kind: 'actorImpact', projectId: 'p', actorTokenId: 'x', rule: 'actor_disabled' },
    closeConnection: { kind: 'closeConnection', connectionId: 'c' },
    createGroup: {
      ...{ kind: 'createGroup', ...ofRoom, appId: 'a', accessScopeId: null, room: 'p/a/_/r' },
      ...{ topic: 't', name: 'n', options },
    },
    listGroups: { kind: 'listGroups', ...ofRoom, after: 'g' },
    getGroup: { kind: 'getGroup', ...ofRoom, groupId: 'g' },
    peekGroup: { kind: 'peekGroup', ...ofRoom, groupId: 'g', limit: 3 },
    deleteGroup: { kind: 'deleteGroup', ...ofRoom, groupId: 'g' },
  };
  const answers: { readonly [K in GatewayAnswer['kind']]: Extract<GatewayAnswer, { kind: K }> } = {
    presence: { kind: 'presence', present: [['x', Uint8Array.of(0x80), 1]], next: 'x' },
    occupancy: { kind: 'occupancy', knowsPresences: true, rooms: [[1, 2]] },
    impact: { kind: 'impact', total: 3, cutOff: [['x', 'a/r/t', null, 'grant_missing', 2]] },
    actorImpact: {
      ...{ kind: 'actorImpact', total: 2, connections: 3 },
      cutOff: [['x', 'a/r/t', null, 'actor_disabled', 2]],
    },
    closeConnection: { kind: 'closeConnection', isClosed: true },
    createGroup: { kind: 'createGroup', created: { group, isNew: true } },
    listGroups: { kind: 'listGroups', groups: [group], isLast: true },
    getGroup: { kind: 'getGroup', group: { ...group, oldestAt: null } },
    peekGroup: { kind: 'peekGroup', jobs: [job] },
    deleteGroup: { kind: 'deleteGroup', isDeleted: false },
    unknown: { kind: 'unknown' },
  };
  for (const [kind, question] of Object.entries(questions))
    it(`match questions to gateways: ${kind}`, () =>
      expect(isDescribed(gatewayQuestions, { to: 'g', from: 'h', number: 1, question })).to.equal(true));
  for (const [kind, answer] of Object.entries(answers))
    it(`match answers of gateways: ${kind}`, () => {
      const given = { to: 'h', number: 1, answer };
      expect(isDescribed(gatewayAnswers, given)).to.equal(true);
      expect(gatewayAnswers.codec.decode(gatewayAnswers.codec.encode(given))).to.deep.equal(given);
    });

  it('match announcements of readers', () => {
    const announcement = { reader: 'r', reads: { messages: 2, presence: 2 } };
    expect(isDescribed(readerAnnouncements, announcement)).to.equal(true);
    expect(isDescribed(readerAnnouncements, { ...announcement, reads: { messages: '2' as never } })).to.equal(
      false,
    );
  });

  const call: WebhookCall = {
    callId: 'c',
    kind: 'trigger',
    organizationId: 'o',
    projectId: 'p',
    appId: 'a',
    url: 'https://example.com',
    headers: [['x-key', 'v']],
    room: 'p/a/_/r',
    roomName: 'r',
    topicName: 't',
    actorId: 'x',
    scope: { accessScopeId: 's', slug: 'acme', name: 'Acme' },
    data: Uint8Array.of(0xc0),
    origin: { by: 'publish' },
    attempts: 0,
  };
  const origins: readonly CallOrigin[] = [
    { by: 'publish' },
    { by: 'subscribe', gatewayId: 'g', subscription: 1 },
    { by: 'redrive', redriveId: 'd' },
    { by: 'roomEvent' },
  ];

  it('match webhook calls and their reports', () => {
    for (const queue of [webhookCalls, ...webhookRetries, webhookBacklog])
      for (const origin of origins)
        expect(isDescribed(queue, { ...call, origin, scope: null })).to.equal(true);
    const traceparent = `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`;
    expect(isDescribed(webhookCalls, { ...call, traceparent })).to.equal(true);
    expect(isDescribed(webhookCalls, { ...call, traceparent: 7 as never })).to.equal(false);
    for (const responseStatus of [null, 503])
      expect(
        isDescribed(webhookReports, {
          outcome: 'failed',
          call,
          responseStatus,
          error: 'e',
          status: 'pending',
        }),
      ).to.equal(true);
    expect(isDescribed(webhookReports, { outcome: 'delivered', call, responseStatus: 204 })).to.equal(true);
    const answer = { gatewayId: 'g', subscription: 1, body: Uint8Array.of(0x80) };
    expect(isDescribed(webhookAnswers, answer)).to.equal(true);
    expect(ajv.validate(busMessages['webhook-calls']?.payload ?? {}, [1, { callId: 'c' }])).to.equal(false);
  });

  it('match work that came to nothing, its reports, and its redrives', () => {
    const work: LostWork = {
      ...{ dlqId: 'd', kind: 'job', organizationId: 'o', projectId: 'p', appId: 'a', roomId: 'r' },
      ...{ room: 'p/a/_/lobby', roomName: 'lobby', topicName: 'chat', actorId: '', scope: null, group: 'g' },
      ...{ data: Uint8Array.of(0xc0), attempts: 5, rest: Uint8Array.of(1, 2) },
    };
    const failure = { error: 'e', status: 'pending' } as const;
    expect(isDescribed(webhookReports, { outcome: 'lost', work, ...failure })).to.equal(true);
    expect(isDescribed(webhookReports, { outcome: 'redriven', work, redriveId: 'x' })).to.equal(true);
    expect(
      isDescribed(webhookReports, { outcome: 'notRedriven', work, redriveId: 'x', ...failure }),
    ).to.equal(true);
    for (const queue of [jobRedrives, scheduleRedrives])
      expect(isDescribed(queue, { redriveId: 'x', work })).to.equal(true);
    expect(isDescribed(eventRedrives, { ...call, kind: 'event', sequence: 7 })).to.equal(true);
    expect(isDescribed(feedSpans, { viewsVersion: 5, after: '', upTo: '1', events: 1 })).to.equal(true);
    expect(isDescribed(eventEnds, { roomId: 'r', accessScopeId: null, sequence: 7 })).to.equal(true);
    const following = [{ callId: 'd', sequence: 8, data: Uint8Array.of(0x80) }];
    expect(isDescribed(webhookCalls, { ...call, kind: 'event', sequence: 7, following })).to.equal(true);
  });

  it('match circuits and news of them', () => {
    const circuit = { circuitId: 'c', organizationId: 'o', projectId: 'p', url: 'https://example.com' };
    expect(isDescribed(webhookReports, { outcome: 'circuitOpened', circuit, calls: 50 })).to.equal(true);
    expect(isDescribed(webhookReports, { outcome: 'circuitClosed', circuit })).to.equal(true);
    const news = { consumer: 'c', failing: [['e', 50]] as const, accepted: ['f'], tried: [] };
    expect(isDescribed(circuitNewsChannel, news)).to.equal(true);
    expect(isDescribed(parkedWebhookCalls, { ...call, parkedAt: 1 })).to.equal(true);
  });

  it('match outcomes of webhook calls', () => {
    for (const outcome of outcomeSamples) expect(isDescribed(webhookOutcomes, outcome)).to.equal(true);
    const unknown = [1, { ...outcomeSamples[0], outcome: '6xx' }];
    expect(ajv.validate(busMessages['webhook-outcomes']?.payload ?? {}, unknown)).to.equal(false);
  });

  it('match events of the control plane', () => {
    const event = {
      id: 'e',
      type: 'RoomDeleted',
      schemaVersion: 1,
      data: {},
      stream: 's',
      revision: 0,
      position: '1',
      metadata: {
        occurredAt: '2026-01-01T00:00:00.000Z',
        organizationId: 'o',
        projectId: null,
        principal: 'system',
        requestId: 'r',
      },
    };
    expect(isDescribed(domainEventFeed, event)).to.equal(true);
  });
});

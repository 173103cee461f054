import { expect } from 'chai';
import type { EventWebhook } from '@roomwire/shared/domain/roomEvents';
import { webhookCalls, type WebhookCall } from '@roomwire/shared/wire/bus/webhookCalls';
import { webhookReports } from '@roomwire/shared/wire/bus/webhookReports';
import { limitTable } from '@roomwire/shared/wire/limits/limitTable';
import { EngineUnavailable } from '@roomwire/shared/ports/errors';
import { eventually } from '@roomwire/testing/run/eventually';
import { createMetrics } from '../../src/metrics.js';
import { EventLine, type LineDeps } from '../../src/room-events/eventLine.js';
import { Roll, type RollChange } from '../../src/room-events/roll.js';
import type { RollLog } from '../../src/room-events/rollLog.js';

const place = {
  ...{ organizationId: 'o', projectId: 'p', appId: 'a', roomId: 'r', roomSlug: 'lobby', room: 'p/a/_/lobby' },
  scope: null,
};
const usualWebhook: EventWebhook = { url: 'https://example.com/hook', events: [], lingerSeconds: 5 };
const hour = 3_600_000;

describe('the events of a room on their way', () => {
  let roll: Roll;
  let log: { durable: number };
  let line: EventLine;
  let webhook: EventWebhook;
  let now: number;
  let isAway: boolean;
  let calls: (readonly number[])[];
  let dead: { readonly sequence: number | undefined; readonly error: string }[];

  const sequencesOf = ({ sequence = 0, following = [] }: WebhookCall) => [
    sequence,
    ...following.map((next) => next.sequence),
  ];

  beforeEach(() => {
    [roll, log, now, isAway, calls, dead] = [new Roll(), { durable: 0 }, 0, false, [], []];
    webhook = usualWebhook;
    roll.apply({ kind: 'place', place });
    const put = async (queue: unknown, job: unknown): Promise<void> => {
      if (isAway) throw new EngineUnavailable('message bus');
      if (queue === webhookCalls) calls.push(sequencesOf(job as WebhookCall));
      if (queue !== webhookReports) return;
      const { call, error } = job as { readonly call: WebhookCall; readonly error: string };
      dead.push({ sequence: call.sequence, error });
    };
    line = new EventLine(
      {
        bus: { put } as LineDeps['bus'],
        clock: { now: () => now, monotonic: () => now },
        metrics: createMetrics(),
        limits: { reached: () => undefined },
      },
      {
        ...{ roll, log: log as RollLog, webhook: () => webhook },
        change: (change: RollChange) => roll.apply(change),
      },
    );
  });

  const happen = (count: number, presence: Uint8Array | null = null): void => {
    for (let one = 0; one < count; one += 1) {
      const sequence = roll.sequence + 1;
      const about = { actorTokenId: 'x', presence };
      roll.apply({
        kind: 'event',
        event: { id: `e${sequence}`, sequence, event: 'joined', ...about, at: 0 },
      });
    }
    log.durable = roll.sequence;
  };
  const called = (times: number) => eventually(() => calls.length === times, { what: `${times} calls` });
  const settled = () => new Promise((resolve) => setImmediate(resolve));

  it('[HOOK-EVENT-6] go together up to a hundred, and the next when they have ended', async () => {
    happen(250);
    line.advance();
    await called(1);
    line.advance();
    await settled();
    expect(calls.map((run) => [run[0], run.at(-1)])).to.eql([[1, 100]]);
    line.settle(100);
    await called(2);
    line.settle(100);
    line.settle(200);
    await called(3);
    expect(calls.map((run) => [run[0], run.at(-1)]).slice(1)).to.eql([
      [101, 200],
      [201, 250],
    ]);
  });

  it('[HOOK-EVENT-7] go when they are stored, and not before', async () => {
    happen(2);
    log.durable = 0;
    line.advance();
    await settled();
    expect(calls).to.eql([]);
    log.durable = 1;
    line.advance();
    await called(1);
    expect(calls).to.eql([[1]]);
  });

  it('go again where the bus did not take them, or has lost them', async () => {
    happen(1);
    isAway = true;
    line.advance();
    await settled();
    isAway = false;
    line.advance();
    await called(1);
    now += 24 * hour;
    line.advance();
    await settled();
    expect(calls).to.have.length(1);
    now += 2 * hour;
    line.advance();
    await called(2);
    expect(calls).to.eql([[1], [1]]);
  });

  it('[HOOK-EVENT-6] do not go again while one after the other is tried for its whole time', async () => {
    webhook = { ...usualWebhook, retrySeconds: 72 * 3_600 };
    happen(3);
    line.advance();
    await called(1);
    for (const sequence of [1, 2]) {
      now += 90 * hour;
      line.settle(sequence);
      await settled();
    }
    now += 90 * hour;
    line.advance();
    await settled();
    expect(calls).to.eql([[1, 2, 3]]);
    now += 8 * hour;
    line.advance();
    await called(2);
    expect(calls[1]).to.eql([3]);
  });

  it('[HOOK-EVENT-8] become dead letters where too many wait, the oldest that are not under way first', async () => {
    const most = limitTable.roomEvents.value;
    happen(1);
    line.advance();
    await called(1);
    happen(most + 2);
    line.advance();
    await eventually(() => roll.waiting.length === most, { withinMs: 20_000 });
    expect(dead).to.eql([2, 3, 4].map((sequence) => ({ sequence, error: 'room_events_full' })));
    line.settle(1);
    await called(2);
    expect(calls[1]?.[0]).to.equal(5);
  });

  it('[HOOK-EVENT-8] become dead letters where they are too large', async () => {
    happen(1);
    line.advance();
    await called(1);
    happen(1_100, new Uint8Array(16_000).fill(0xc0));
    line.advance();
    await eventually(() => roll.waitingBytes <= limitTable.roomEventBytes.value, { withinMs: 20_000 });
    expect(dead[0]).to.include({ sequence: 2 });
    expect(roll.waiting[1]?.sequence).to.equal(dead.length + 2);
  });
});

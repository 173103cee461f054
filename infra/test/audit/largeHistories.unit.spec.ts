import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { HistoryBudget, pastRecord } from '@roomwire/command-api/audit/auditReads';
import { differencesSince, stateAt } from '@roomwire/command-api/audit/recordStates';
import { Rejection } from '@roomwire/command-api/handling/rejections';
import { schemaVersions, type DomainEvent } from '@roomwire/shared/domain/events';
import { limitTable } from '@roomwire/shared/wire/limits/limitTable';
import { longestTurn } from '@roomwire/testing/run/longestTurn';
import type { PastEvent } from '../support/eventLogAccess.js';
import { openAuditWorld, type AuditWorld } from './auditWorld.js';

const [organizationId, projectId] = [randomUUID(), randomUUID()];
const start = Date.parse('2026-01-01T00:00:00.000Z');
const end = start + 1_000_000;

const past = (position: number, event: DomainEvent): PastEvent => ({
  id: randomUUID(),
  stream: `apps-${projectId}`,
  schemaVersion: schemaVersions[event.type],
  ...event,
  metadata: {
    occurredAt: new Date(start + position).toISOString(),
    ...{ organizationId, projectId, principal: 'session:ada', requestId: randomUUID() },
  },
});

const app = (appId: string, config: Readonly<Record<string, unknown>>): DomainEvent => ({
  type: 'AppCreated',
  data: {
    ...{ appId, projectId, name: 'App', slug: `app-${appId.slice(0, 4)}`, description: null },
    ...{ blueprintId: null, blueprintVersion: null, pinnedBlueprintVersion: false, config, topics: ['chat'] },
    ...{ topicConfigs: {}, hydrationWebhook: null, triggerWebhook: null, dependencies: null, files: null },
    framework: null,
  },
});

const change = (appId: string, changes: object): DomainEvent => ({
  type: 'AppUpdated',
  data: { appId, changes },
});

/** Of about 800 kB. */
const largeConfig = (mark = ''): Readonly<Record<string, unknown>> => ({
  flags: Object.fromEntries(Array.from({ length: 20_000 }, (_, n) => [`flag${mark}${n}`, n])),
  list: Array.from({ length: 20_000 }, (_, n) => ({ n, mark })),
});

describe('the past of a large record', function () {
  this.timeout(120_000);
  const [often, rewritten, huge] = [randomUUID(), randomUUID(), randomUUID()];
  const events = [
    past(0, app(often, largeConfig())),
    ...Array.from({ length: 300 }, (_, n) => past(n + 1, change(often, { name: `name ${n}` }))),
    past(1_000, app(rewritten, largeConfig())),
    ...Array.from({ length: 10 }, (_, n) =>
      past(n + 1_001, change(rewritten, { config: largeConfig(n % 2 === 0 ? 'x' : '') })),
    ),
    past(2_000, app(huge, {})),
    ...Array.from({ length: 50 }, (_, n) =>
      past(n + 2_001, change(huge, { files: { main: `${n}`.repeat(450_000) } })),
    ),
  ];
  let world: AuditWorld;
  const read = async (id: string) => {
    const found = await pastRecord(world.auditIndex, organizationId, id, end);
    if (found === undefined) throw new Error(`${id} is not known`);
    return found;
  };

  before(async () => void (world = await openAuditWorld(events)));
  after(() => world.close());

  for (const [title, id] of [
    ['changed often', often],
    ['rewritten', rewritten],
  ] as const) {
    it(`does not hold the event loop: a state of one that was ${title}`, async () => {
      const { result, longestMs } = await longestTurn(async () => stateAt(world.createFold, await read(id)));
      expect(result.lastChange?.id).to.equal(events.findLast(({ data }) => (data as any).appId === id)?.id);
      expect(longestMs).to.be.below(250);
    });

    it(`does not hold the event loop: the differences of one that was ${title}`, async () => {
      const { result, longestMs } = await longestTurn(async () =>
        differencesSince(world.createFold, await read(id), start - 1),
      );
      expect(result).to.have.length.above(10);
      expect(longestMs).to.be.below(250);
    });
  }

  it('is compared only where an event has changed it', async () => {
    const began = process.cpuUsage();
    await stateAt(world.createFold, await read(often));
    const { user, system } = process.cpuUsage(began);
    // Comparing the whole record for each of its events took ten seconds.
    expect((user + system) / 1_000).to.be.below(1_000);
  });

  it('is refused where its events are too large together', async () => {
    const refusal = await read(huge).catch((error: unknown) => error);
    expect(refusal).to.be.instanceOf(Rejection).and.to.include({ code: 'history_too_large' });
  });

  it('is counted over all that one request reads', () => {
    const budget = new HistoryBudget();
    const half = { data: 'x'.repeat(limitTable.historyBytes.value / 2) } as never;
    budget.take(half, often);
    expect(() => budget.take(half, rewritten)).to.throw(Rejection);
  });
});

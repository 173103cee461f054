import { expect } from 'chai';
import { plainFold } from '../../audit/plainFold.js';
import { seededChance } from '@roomwire/testing/run/seededChance';
import { isOnEngines } from '@roomwire/testing/run/testProfile';
import { historyStart, seededHistory } from '../../audit/seededHistory.js';
import type { ApiClient } from '../../support/apiClient.js';
import { type PastEvent, withLog, writeHistory } from '../../support/eventLogAccess.js';
import { startTestService, type TestService } from '../../support/testService.js';
import { done, sessionOf } from './contract/world.js';

const seed = 20_261_122;
const { events } = seededHistory(seed, 90);
const timeOf = ({ metadata }: PastEvent): number => Date.parse(metadata.occurredAt);
const end = Math.max(...events.map(timeOf));
/** On engines each answer is read from a log that another process keeps. */
const times = isOnEngines() ? 12 : 50;
const requestsAtOnce = 8;

/** Every record that there has ever been, by organization. */
const owners = new Map(
  events.flatMap((event) =>
    [...plainFold([event]).keys()].map((id) => [id, event.metadata.organizationId] as const),
  ),
);

describe(`every record at any time, through the API (seed ${seed})`, function () {
  this.timeout(300_000);
  let service: TestService;
  const members = new Map<string, ApiClient>();

  before(async () => {
    service = await startTestService({ sessionSecret: new Uint8Array(32).fill(7) }, (config) =>
      withLog(config, (log) => writeHistory(log, events)),
    );
    for (const organizationId of new Set(owners.values()))
      members.set(organizationId, service.client(await sessionOf(organizationId)));
  });
  after(() => service.close());

  it(`equals an independent fold of the events at ${times} times`, async () => {
    const chance = seededChance(seed + 1);
    const questions = Array.from({ length: times }, () => {
      const at = historyStart + chance.below(end - historyStart + 2);
      const expected = plainFold(events.filter((event) => timeOf(event) <= at));
      return [...owners].map(([id, organizationId]) => ({ id, organizationId, at, found: expected.get(id) }));
    }).flat();
    let there = 0;
    const ask = async (): Promise<void> => {
      for (let question = questions.pop(); question; question = questions.pop()) {
        const { id, organizationId, at, found } = question;
        const query = `resourceId=${id}&at=${new Date(at).toISOString()}`;
        const path = `/organizations/${organizationId}/audit/state?${query}`;
        const state = done(await (members.get(organizationId) as ApiClient).get(path));
        expect(state.record, `${id} at ${at}`).to.eql(found?.fields ?? null);
        if (found) expect(state.lastChange?.eventId, `${id} at ${at}`).to.equal(found.lastEventId);
        if (found) there += 1;
      }
    };
    await Promise.all(Array.from({ length: requestsAtOnce }, ask));
    expect(owners.size).to.be.greaterThan(25);
    expect(there).to.be.greaterThan(times * 20);
  });
});

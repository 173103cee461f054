import { expect } from 'chai';
import { pastRecord } from '@roomwire/command-api/audit/auditReads';
import { differencesSince, stateAt } from '@roomwire/command-api/audit/recordStates';
import type { PastEvent } from '../support/eventLogAccess.js';
import { openAuditWorld, type AuditWorld } from './auditWorld.js';
import { plainFold, plainStep, type PlainRecord } from './plainFold.js';
import { seededChance } from '@roomwire/testing/run/seededChance';
import { historyStart, seededHistory } from './seededHistory.js';

const seed = 20_261_121;
const { events, organizationIds } = seededHistory(seed, 700);
const end = Math.max(...events.map(({ metadata }) => Date.parse(metadata.occurredAt)));
const until = (time: number): PastEvent[] =>
  events.filter(({ metadata }) => Date.parse(metadata.occurredAt) <= time);

/** Of every record that there has ever been, and the organization that it was in. */
const owners = new Map(
  events.flatMap((event, index) =>
    [...plainFold([event]).keys()].map((id) => [id, events[index]?.metadata.organizationId ?? ''] as const),
  ),
);

describe(`the past of a seeded history (seed ${seed})`, function () {
  this.timeout(60_000);
  let world: AuditWorld;
  const chance = seededChance(seed + 1);

  before(async () => void (world = await openAuditWorld(events)));
  after(() => world.close());

  const past = async (id: string, time: number) => {
    const found = await pastRecord(world.auditIndex, owners.get(id) ?? '', id, time);
    if (found === undefined) throw new Error(`${id} is not known`);
    return found;
  };

  it('has records of ten kinds, some of them deleted by a cascade', () => {
    expect(owners.size).to.be.greaterThan(150);
    const last = plainFold(events);
    const ownEnds = events.filter(({ type }) => /Deleted|Revoked/.test(type)).length;
    expect(owners.size - last.size).to.be.greaterThan(ownEnds);
  });

  it('shows every record at 50 times as an independent fold of the events does', async () => {
    let there = 0;
    for (let n = 0; n < 50; n += 1) {
      const time = historyStart + chance.below(end - historyStart + 2);
      const expected = plainFold(until(time));
      there += expected.size;
      for (const id of owners.keys()) {
        const { record, lastChange } = await stateAt(world.createFold, await past(id, time));
        expect(record, `${id} at ${time}`).to.eql(expected.get(id)?.fields);
        if (record) expect(lastChange?.id, `${id} at ${time}`).to.equal(expected.get(id)?.lastEventId);
      }
    }
    expect(there).to.be.greaterThan(1_000);
  });

  it('names what changed between two times, and the event that set each value', async () => {
    let changes = 0;
    for (let n = 0; n < 10; n += 1) {
      const [from, to] = [chance.below(end - historyStart), chance.below(end - historyStart)]
        .sort((a, b) => a - b)
        .map((each) => historyStart + each) as [number, number];
      const [before, after] = [plainFold(until(from)), plainFold(until(to))];
      for (const id of owners.keys()) {
        const found = await differencesSince(world.createFold, await past(id, to), from);
        changes += found.length;
        expect(applied(before.get(id), found), `${id} from ${from} to ${to}`).to.eql(
          after.get(id)?.fields ?? {},
        );
        for (const { path, change } of found)
          expect(makes(change.id, path, id), `${path} of ${id} by ${change.type}`).to.equal(true);
      }
    }
    expect(changes).to.be.greaterThan(1_000);
  });

  it('shows nothing of another organization', async () => {
    const [one, other] = organizationIds as [string, string];
    const id = [...owners].find(([, owner]) => owner === one)?.[0] ?? '';
    expect(await pastRecord(world.auditIndex, other, id, end)).to.equal(undefined);
    expect(await pastRecord(world.auditIndex, one, id, historyStart - 1)).to.include({ id });
  });
});

/** By event and record: the record before the event and after it, where they differ. */
const turns = new Map<string, readonly [before: PlainRecord | undefined, after: PlainRecord | undefined]>();
const current = new Map<string, PlainRecord>();
for (const event of events) {
  const before = new Map(current);
  plainStep(current, event);
  for (const id of new Set([...before.keys(), ...current.keys()]))
    if (before.get(id) !== current.get(id)) turns.set(`${event.id} ${id}`, [before.get(id), current.get(id)]);
}

/** Whether the value at the path is another one after the event than before it. */
const makes = (eventId: string, path: string, id: string): boolean => {
  const [was, is] = (turns.get(`${eventId} ${id}`) ?? []).map((record) =>
    JSON.stringify(valueAt(record?.fields ?? {}, path)),
  );
  return was !== is;
};

const steps = (path: string): string[] =>
  path
    .split('/')
    .slice(1)
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'));

const valueAt = (fields: any, path: string): unknown =>
  steps(path).reduce((value, step) => value?.[step], fields);

/** A record with the differences carried out. */
const applied = (
  before: PlainRecord | undefined,
  differences: readonly { readonly path: string; readonly before: unknown; readonly after: unknown }[],
): object => {
  const fields = structuredClone(before?.fields ?? {});
  for (const { path, before: was, after } of differences) {
    expect(valueAt(fields, path)).to.eql(was);
    const [last = '', ...parents] = steps(path).reverse();
    const holder = parents.reverse().reduce((value, step) => value[step], fields);
    if (after === undefined) delete holder[last];
    else holder[last] = after;
  }
  return fields;
};

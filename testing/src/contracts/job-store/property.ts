import { expect } from 'chai';
import { StaleTerm, type JobChanges, type JobStore } from '@roomwire/shared/ports/jobStore';
import { seededChance, type SeededChance } from '../../run/seededChance.js';
import type { JobsUnderTest } from './jobsUnderTest.js';
import { allJobs, groupOf, jobOf, shard, takeGroup } from './storedJobs.js';

const rounds = 40;
const groupId = 'g';

interface ModelJob {
  readonly bytes: number;
  readonly deliveries: number;
}

/** What the group must hold, in the simplest form. */
type Model = ReadonlyMap<number, ModelJob>;

export const jobStoreProperty = (open: () => Promise<JobsUnderTest>): void => {
  for (const seed of [1, 2, 3])
    it(`holds what a simple model holds, whoever owns it (seed ${seed})`, async () => {
      const underTest = await open();
      try {
        await run(underTest, seededChance(seed));
      } finally {
        await underTest.dispose();
      }
    });
};

const run = async (underTest: JobsUnderTest, chance: SeededChance): Promise<void> => {
  let [owner, other] = [underTest.store, await underTest.beside()];
  let [term, lastSeq, model]: [number, number, Model] = [1, 0, new Map()];
  await owner.take(shard, term);
  await owner.write(groupOf(groupId), term);

  for (let round = 0; round < rounds; round += 1) {
    const changes = anyChanges(chance, model, lastSeq);
    const changed = appliedTo(model, changes);
    if (chance.below(5) > 0) {
      await owner.commit(shard, term, [changes]);
      model = changed;
    } else {
      // Another one takes the shard while the owner writes, or has written.
      const isLate = chance.below(2) === 0;
      const written = owner.commit(shard, term, [changes]).then(
        () => true,
        (error: unknown) => {
          if (!(error instanceof StaleTerm)) throw error;
          return false;
        },
      );
      if (!isLate) await written;
      term += 1;
      await other.take(shard, term);
      [owner, other] = [other, owner];
      const isWritten = await written;
      expect(isWritten || isLate).to.equal(true);
      // What was refused may have been written as far as the new owner sees it.
      model = isWritten ? changed : await heldBy(owner, term, model, changed);
    }
    lastSeq = Math.max(lastSeq, changes.add?.at(-1)?.seq ?? 0);
    await check(owner, model);
    if (chance.below(6) === 0) {
      term += 1;
      await checkTotals(owner, term, model);
    }
  }
  await other.close();
};

const anyChanges = (chance: SeededChance, model: Model, lastSeq: number): JobChanges => {
  const add = [];
  for (
    let count = chance.below(3) === 0 ? chance.below(400) : chance.below(4), seq = lastSeq;
    count > 0;
    count -= 1
  ) {
    seq += chance.below(50) === 0 ? 1 + chance.below(600) : 1;
    add.push(jobOf(seq, chance.below(60) === 0 ? 90_000 : chance.below(100)));
  }
  const known = [...model.keys(), ...add.map(({ seq }) => seq)];
  const some = (share: number): number[] => known.filter(() => chance.below(100) < share);
  return {
    ...{ groupId, add, settled: some(chance.oneOf([0, 5, 30, 95])) },
    changed: some(chance.oneOf([0, 0, 10])).map((seq) => ({
      ...{ seq, deliveries: chance.below(9), counted: 1, dueAt: 0 },
    })),
  };
};

const appliedTo = (model: Model, { add = [], changed = [], settled = [] }: JobChanges): Model => {
  const jobs = new Map(model);
  for (const { seq, message } of add) jobs.set(seq, { bytes: message.length, deliveries: 0 });
  for (const { seq, deliveries } of changed) {
    const job = jobs.get(seq);
    if (job !== undefined) jobs.set(seq, { ...job, deliveries });
  }
  for (const seq of settled) jobs.delete(seq);
  return jobs;
};

const held = async (store: JobStore): Promise<Map<number, ModelJob>> =>
  new Map(
    (await allJobs(store, groupId)).map(({ seq, message, deliveries }) => [
      seq,
      { bytes: message.length, deliveries },
    ]),
  );

/** Every job that is there was there before, or was added; every one that is not has been settled. */
const heldBy = async (store: JobStore, term: number, before: Model, after: Model): Promise<Model> => {
  // What was refused may have arrived after the new owner has looked: it looks again.
  await takeGroup(store, term, groupId);
  const found = await held(store);
  const settled = [...before.keys()].filter((seq) => !after.has(seq));
  const added = [...after.keys()].filter((seq) => !before.has(seq));
  const missing = [...before.keys()].filter((seq) => !found.has(seq));
  const besides = [...found.keys()].filter((seq) => !before.has(seq));
  expect(settled).to.include.members(missing);
  expect(added).to.include.members(besides);
  await checkTotals(store, term, found);
  return found;
};

const check = async (store: JobStore, model: Model): Promise<void> => {
  expect([...(await held(store))]).to.eql([...model].sort(([one], [two]) => one - two));
};

const checkTotals = async (store: JobStore, term: number, model: Model): Promise<void> => {
  const bytes = [...model.values()].reduce((sum, job) => sum + job.bytes, 0);
  expect(await takeGroup(store, term, groupId)).to.include({ depth: model.size, bytes });
};

import { expect } from 'chai';
import type { HistoryTopic } from '@roomwire/shared/ports/history';
import type { HistoryIndex, IndexedRecord } from '@roomwire/shared/ports/historyIndex';
import { seededChance } from '../../run/seededChance.js';
import type { HistoryIndexSetting } from './historyIndexUnderTest.js';
import { appendAll, gathered, historyTopic, idAt, kept, owners, placeAt } from './keptMessages.js';

const at = 1_770_000_000_000;
const rounds = 20;

/** What a topic must hold, in the simplest form. */
interface Model {
  readonly topic: HistoryTopic;
  /** Every message in its order, with its ordinal; deleted ones, too. */
  readonly messages: { readonly offset: number; readonly id: string }[];
  /** Second copies, and where the first ones are. */
  readonly copies: { readonly offset: number; readonly original: number }[];
  deletedTo: number;
}

export const historyPropertyContract = (current: () => HistoryIndexSetting): void => {
  describe('by chance', () => {
    for (const seed of [1, 2, 3]) it(`holds what a simple model holds (seed ${seed})`, () => run(seed));
  });

  const run = async (seed: number): Promise<void> => {
    const chance = seededChance(seed);
    const { underTest } = current();
    let { index } = current();
    const other = await underTest.beside();
    const models: Model[] = ['a', 'b', 'c', 'd'].map((name) => ({
      ...{ topic: historyTopic(name), messages: [], copies: [], deletedTo: -1 },
    }));
    const log: IndexedRecord[] = [];

    const publish = (): void => {
      const model = chance.oneOf(models);
      const offset = (log.at(-1)?.offset ?? -1) + 1 + chance.below(3);
      const last = model.messages.slice(-20).filter((each) => each.offset > model.deletedTo);
      const isCopy = last.length > 0 && chance.below(10) === 0;
      const original = isCopy ? chance.oneOf(last) : undefined;
      const id = original?.id ?? idAt(at + offset * 10, 0);
      const body = new Uint8Array(chance.below(50) === 0 ? 300_000 : chance.below(200)).fill(offset);
      log.push({ offset, message: kept(id, { topic: model.topic, body, messages: 100_000 }) });
      if (original === undefined) model.messages.push({ offset, id });
      else model.copies.push({ offset, original: original.offset });
    };

    for (let round = 0; round < rounds; round += 1) {
      const from = log.length;
      for (let count = chance.below(60); count > 0; count -= 1) publish();
      const again = Math.max(0, from - chance.below(80));
      const appending = [index, ...(chance.below(3) === 0 ? [other] : [])].map((by) =>
        appendInParts(by, log.slice(again), chance.below(60) + 10),
      );
      await Promise.all(appending);
      if (chance.below(8) === 0) index = await underTest.reopen();
      if (chance.below(5) === 0) {
        const model = chance.oneOf(models);
        // As one that deletes what has been published: of no message but one copy.
        const drawn = chance.below((log.at(-1)?.offset ?? 0) + 2);
        const copies = model.copies.filter(({ original }) => original <= drawn);
        const to = Math.max(drawn, ...copies.map(({ offset }) => offset));
        await index.deleteTopic(model.topic, owners, placeAt(to));
        model.deletedTo = Math.max(model.deletedTo, to);
      }
      await check(index, chance.oneOf(models), chance.below((log.at(-1)?.offset ?? 0) + 2));
    }
    for (const model of models) await check(index, model, 0);
    await other.close();
  };
};

const appendInParts = async (
  index: HistoryIndex,
  records: readonly IndexedRecord[],
  size: number,
): Promise<void> => {
  for (let from = 0; from < records.length; from += size)
    await appendAll(index, records.slice(from, from + size));
};

const check = async (index: HistoryIndex, { topic, messages, deletedTo }: Model, place: number) => {
  const found = await index.topic(topic);
  const expected = messages
    .map(({ offset, id }, n) => ({ offset, id, ordinal: n + 1 }))
    .filter(({ offset }) => offset > deletedTo);
  const shown = async (pages: ReturnType<typeof found.oldestFirst>) =>
    (await gathered(pages)).map(({ place: { offset }, message: { id, body }, ordinal }) => {
      if (body.some((byte) => byte !== offset % 256)) throw new Error(`Another body at ${offset}`);
      return { offset, id, ordinal };
    });
  expect(await shown(found.oldestFirst())).to.eql(expected);
  expect(await shown(found.oldestFirst(placeAt(place)))).to.eql(
    expected.filter(({ offset }) => offset > place),
  );
  expect(await shown(found.newestFirst(placeAt(place)))).to.eql(
    expected.filter(({ offset }) => offset < place).reverse(),
  );
  expect(found.newest?.place.offset).to.equal(messages.at(-1)?.offset);
};

import { join } from 'node:path';
import { expect } from 'chai';
import {
  FactJournal,
  type FactJournalReader,
  openFactJournal,
  openFactJournalReader,
  openJournalTables,
} from '../../../src/adapters/fact-journal/factJournal.js';
import { ManualClock } from '@roomwire/testing/fakes/manualClock';
import { eventually } from '@roomwire/testing/run/eventually';
import { temporaryFolder, type TemporaryFolder } from '@roomwire/testing/run/temporaryFolder';

const streams = ['a', 'b'];
const dayMs = 86_400_000;

describe('A journal of facts', () => {
  let folder: TemporaryFolder;
  const opened: { close(): Promise<void> }[] = [];
  const path = (): string => join(folder.path, 'analytics.lmdb');

  beforeEach(async () => {
    folder = await temporaryFolder();
  });
  afterEach(async () => {
    for (const it of opened.splice(0).reverse()) await it.close();
    await folder.remove();
  });

  const open = (options: Partial<Parameters<typeof openFactJournal>[1]> = {}): FactJournal => {
    const files = { file: (name: string) => join(folder.path, name) };
    const journal = openFactJournal(files, { streams, keptMs: dayMs, ...options });
    opened.push(journal);
    return journal;
  };
  const reader = (): FactJournalReader => {
    const opening = openFactJournalReader(path());
    if (opening === undefined) throw new Error('There is no journal');
    opened.push(opening);
    return opening;
  };
  const facts = (journal: FactJournalReader, stream: string, from = 0, limit = 10_000) =>
    journal.read(stream, from, limit).map(({ number, fact }) => [number, ...fact]);

  it('is readable by others during writes, each stream in order', async () => {
    const journal = open();
    const beside = reader();
    for (let n = 1; n <= 2_500; n += 1) {
      journal.append('a', [n, 'x', null, true]);
      if (n % 10 === 0) journal.append('b', [n]);
    }
    await eventually(() => facts(beside, 'a').length === 2_500);
    expect(facts(beside, 'a')).to.eql(
      Array.from({ length: 2_500 }, (_, n) => [n + 1, n + 1, 'x', null, true]),
    );
    expect(facts(beside, 'b', 249)).to.eql([
      [249, 2_490],
      [250, 2_500],
    ]);
    expect(facts(beside, 'a', 10, 2).map(([number]) => number)).to.eql([10, 11]);
    expect(['a', 'b', 'none'].map((stream) => beside.last(stream))).to.eql([2_500, 250, 0]);
  });

  it('continues its numbers when it is reopened', async () => {
    const first = open();
    first.append('a', [1]);
    await first.close();
    const second = open();
    second.append('a', [2]);
    await second.close();
    expect(facts(reader(), 'a')).to.eql([
      [1, 1],
      [2, 2],
    ]);
  });

  it('assigns no number twice after everything in it has expired', async () => {
    const clock = new ManualClock(Date.now());
    const first = open({ clock });
    for (let n = 0; n < 2_500; n += 1) first.append('a', [n]);
    await first.close();
    clock.pass(dayMs / 2);
    const second = open({ clock });
    second.append('a', ['later']);
    await second.close();
    clock.pass(dayMs / 2 + 1);
    const third = open({ clock });
    third.append('a', ['last']);
    const beside = reader();
    await eventually(() => facts(beside, 'a').length === 2);
    expect(facts(beside, 'a')).to.eql([
      [2_501, 'later'],
      [2_502, 'last'],
    ]);
  });

  it('drops what the disk refuses, counts it, and never throws', async () => {
    const tables = openJournalTables(path(), streams);
    let refuses = true;
    const { environment } = tables;
    const transact: typeof environment.transact = (work) =>
      refuses ? Promise.reject(new Error('ENOSPC')) : environment.transact(work);
    const journal = new FactJournal(
      { ...tables, environment: { ...environment, transact, close: () => environment.close() } },
      { streams, keptMs: dayMs },
    );
    opened.push(journal);
    journal.append('a', [1]);
    await eventually(() => journal.dropped === 1);
    refuses = false;
    journal.append('a', [2]);
    await journal.close();
    journal.append('a', [3]);
    expect(journal.dropped).to.equal(2);
    expect(facts(reader(), 'a')).to.eql([[1, 2]]);
  });

  it('is not created by a reader', () => {
    expect(openFactJournalReader(path())).to.equal(undefined);
  });
});

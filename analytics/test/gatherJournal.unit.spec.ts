import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { openFactJournal, openFactJournalReader } from '@roomwire/shared/adapters/fact-journal/factJournal';
import { createRecordingLogger } from '@roomwire/testing/fakes/loggers';
import { temporaryFolder, type TemporaryFolder } from '@roomwire/testing/run/temporaryFolder';
import { gatherJournal } from '../src/analytics.js';
import { messageColumns } from '../src/facts/facts.js';
import { streamNames } from '../src/facts/factStream.js';
import { FactFolder } from '../src/store/factFolder.js';

const dayMs = 86_400_000;
const stream = 'messages';

describe('Gathering from a journal', () => {
  let temporary: TemporaryFolder;

  beforeEach(async () => void (temporary = await temporaryFolder()));
  afterEach(() => temporary.remove());

  const append = async (count: number): Promise<void> => {
    const files = { file: (name: string) => join(temporary.path, name) };
    const journal = openFactJournal(files, { streams: streamNames, keptMs: dayMs });
    for (let n = 0; n < count; n += 1)
      journal.append(stream, [Date.now(), ...messageColumns.slice(1).map(() => null)]);
    await journal.close();
  };
  const folder = (): string => join(temporary.path, 'facts');
  const gather = async (): Promise<void> => {
    const journal = openFactJournalReader(join(temporary.path, 'analytics.lmdb'));
    if (journal === undefined) throw new Error('There is no journal');
    const settings = { folder: folder(), days: 0, payloads: false };
    await gatherJournal(journal, { settings, logger: createRecordingLogger().logger });
  };

  it('goes on where the files end', async () => {
    await append(3);
    await gather();
    await append(2);
    await gather();
    expect(new FactFolder(join(folder(), stream)).nextPlace(0)).to.equal(6);
  });

  it('is refused where the journal was begun anew: its first facts would be passed over', async () => {
    await append(3);
    await gather();
    for (const name of ['analytics.lmdb', 'analytics.lmdb-lock'])
      await rm(join(temporary.path, name), { force: true });
    await append(2);
    const refusal = await gather().catch((error: Error) => error.message);
    expect(refusal).to.match(/begun anew: its messages end before what .* holds\. Move that folder away/);
    expect(new FactFolder(join(folder(), stream)).nextPlace(0)).to.equal(4);
  });
});

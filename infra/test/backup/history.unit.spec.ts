import { expect } from 'chai';
import { appendAll, epoch, historyTopic, kept } from '@roomwire/testing/contracts/history-index/keptMessages';
import { temporaryFolder, type TemporaryFolder } from '@roomwire/testing/run/temporaryFolder';
import { configIn, opened, restoredFrom } from '../support/backups.js';

describe('the history of topics on files', () => {
  let folder: TemporaryFolder;

  beforeEach(async () => void (folder = await temporaryFolder()));
  afterEach(() => folder.remove());

  it('is in a backup, and is restored; no place of a message that came after it is given again', async () => {
    const before = await opened(configIn(folder, 'used'), async (adapters) => {
      const index = await adapters.historyIndex();
      const numbering = await index.partition(0);
      await index.append(0, [{ offset: 41, message: kept('m') }], { epoch, next: 42 });
      await appendAll(index, [{ offset: 7, message: kept('other', { topic: historyTopic('other') }) }]);
      return numbering;
    });
    const restored = await restoredFrom(folder, configIn(folder, 'used'));
    await opened(restored, async (adapters) => {
      const index = await adapters.historyIndex();
      expect((await index.topic(historyTopic('other'))).newest?.place).to.eql({ epoch, offset: 7 });
      expect(await index.partition(1)).to.eql({ epoch, next: 8 });
      const numbering = await index.partition(0);
      expect(numbering?.next).to.equal(0);
      expect(numbering?.epoch).to.be.greaterThan(before?.epoch ?? 0);
    });
  });
});

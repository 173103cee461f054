import { expect } from 'chai';
import { SharedPages } from '../../src/history/sharedPages.js';
import type { KeptMessage } from '../../src/ports/history.js';
import { gathered, keptMessage } from './keptMessages.js';

describe('pages that several read', () => {
  const kept: readonly KeptMessage[] = [1, 2, 3].map((n) => ({
    place: { epoch: 7, offset: n },
    ordinal: n,
    latestAt: n,
    message: keptMessage(n),
  }));

  it('are read once, as far as somebody wants them, and are the same for all', async () => {
    let read = 0;
    const source = async function* () {
      for (const one of kept) {
        read += 1;
        yield [one];
      }
    };
    const pages = new SharedPages(source());
    for await (const page of pages.all()) {
      expect(page).to.deep.equal([kept[0]]);
      break;
    }
    expect(read).to.equal(1);
    const both = await Promise.all([gathered(pages.all()), gathered(pages.all())]);
    expect(both).to.deep.equal([kept, kept]);
    expect(read).to.equal(3);
  });

  it('that cannot be read are missing for nobody: each reader learns it', async () => {
    const source = async function* (): AsyncGenerator<readonly KeptMessage[]> {
      yield kept;
      throw new Error('away');
    };
    const pages = new SharedPages(source());
    for (let n = 0; n < 2; n++) {
      const outcome = await gathered(pages.all()).catch((error: Error) => error.message);
      expect(outcome).to.equal('away');
    }
  });
});

import { expect } from 'chai';
import { RecentChanges } from '../../src/access/recentChanges.js';

describe('recent changes', () => {
  let changes: RecentChanges;

  beforeEach(() => void (changes = new RecentChanges(2)));

  it('touch the keys that changed after the note, and no others', () => {
    changes.add('before');
    const noted = changes.latest;
    changes.add('after');
    expect(changes.haveTouched(['before', 'other'], noted)).to.equal(false);
    expect(changes.haveTouched(['other', 'after'], noted)).to.equal(true);
  });

  it('touch a key that changed before the note and after it', () => {
    changes.add('key');
    const noted = changes.latest;
    changes.add('key');
    expect(changes.haveTouched(['key'], noted)).to.equal(true);
  });

  it('of everything touch every key', () => {
    const noted = changes.latest;
    changes.addAll();
    expect(changes.haveTouched(['key'], noted)).to.equal(true);
    expect(changes.haveTouched(['key'], changes.latest)).to.equal(false);
  });

  it('beyond those that are remembered may have been of any key', () => {
    const first = changes.latest;
    changes.add('1');
    const second = changes.latest;
    for (const key of ['2', '3', '2', '3']) changes.add(key);
    expect(changes.haveTouched(['key'], first)).to.equal(true);
    expect(changes.haveTouched(['key'], second)).to.equal(false);
    expect(changes.haveTouched(['2'], second)).to.equal(true);
  });
});

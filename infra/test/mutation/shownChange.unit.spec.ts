import { expect } from 'chai';
import { shownChange } from '@roomwire/testing/mutation/shownChange';

describe('how a mutant is shown', () => {
  it('is by what was replaced and by what, in one line', () => {
    expect(shownChange('{\n    return a;\n}', '{}')).to.equal('{ return a; } → {}');
  });

  it('begins shortly before both differ, and is cut off, where one is long', () => {
    const long = 'x'.repeat(100);
    const common = '0123456789'.repeat(3);
    expect(shownChange(`${common} < ${long}`, `${common} <= ${long}`)).to.equal(
      `…234567890123456789 < ${'x'.repeat(58)}… → …234567890123456789 <= ${'x'.repeat(57)}…`,
    );
    expect(shownChange(`{ ${long} }`, '{}')).to.equal(`{ ${'x'.repeat(78)}… → {}`);
  });
});

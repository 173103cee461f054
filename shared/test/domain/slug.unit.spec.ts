import { expect } from 'chai';
import fc from 'fast-check';
import { isSlug, slugFromName } from '../../src/domain/slug.js';

describe('slugs', () => {
  it('are lower-case letters, digits and inner hyphens', () => {
    for (const slug of ['a', '7', 'ab', 'a-b', 'a--b', 'x'.repeat(100)])
      expect(isSlug(slug), slug).to.equal(true);
    for (const text of ['', '-', '-a', 'a-', 'A', 'a_b', 'a b', 'é', 'a/b', 'a\n', 'x'.repeat(101)])
      expect(isSlug(text), text).to.equal(false);
  });

  it('are made from names', () => {
    expect(slugFromName('The Lobby', 'room')).to.equal('the-lobby');
    expect(slugFromName('  Été à Paris! ', 'room')).to.equal('ete-a-paris');
    expect(slugFromName('日本 🎉', 'room')).to.equal('room');
  });

  it('come out well-formed whatever the name, with room for a suffix', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 300 }), (name) => {
        const slug = slugFromName(name, 'fallback');
        expect(isSlug(slug)).to.equal(true);
        expect(isSlug(`${slug}-0f3a`)).to.equal(true);
      }),
      { seed: 1 },
    );
  });
});

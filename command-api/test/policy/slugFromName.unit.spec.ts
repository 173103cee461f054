import { expect } from 'chai';
import fc from 'fast-check';
import { isSlug } from '@roomwire/shared/domain/topic';
import { slugFromName } from '../../src/policy/slugFromName.js';

// [slug (auto-generated from name if omitted; lowercase alphanumeric and hyphens)]
describe('a slug from a name', () => {
  for (const [name, slug] of [
    ['The Lobby', 'the-lobby'],
    ['  Été à Paris! ', 'ete-a-paris'],
    ['Ete\u0301', 'ete'],
    ['Łódź', 'lodz'],
    ['Straße Øst', 'strasse-ost'],
    ['Привет, мир', 'privet-mir'],
    ['会議室A', 'hui-yi-shi-a'],
    ['倉庫', 'cang-ku'],
    ['서울', 'seoul'],
    ['𝓗𝓲 ①', 'hi-1'],
    ['ﬁne', 'fine'],
    ['🎉', 'room'],
    ['!!!', 'room'],
  ] as const)
    it(`is ${slug} for ${name.trim()}`, () => expect(slugFromName(name, 'room')).to.equal(slug));

  it('is well-formed for any name, with room for a suffix', () => {
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

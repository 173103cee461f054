import { expect } from 'chai';
import { isSlug } from '../../src/domain/slug.js';

describe('slugs', () => {
  it('are lower-case letters, digits and inner hyphens', () => {
    for (const slug of ['a', '7', 'ab', 'a-b', 'a--b', 'x'.repeat(100)])
      expect(isSlug(slug), slug).to.equal(true);
    for (const text of ['', '-', '-a', 'a-', 'A', 'a_b', 'a b', 'é', 'a/b', 'a\n', 'x'.repeat(101)])
      expect(isSlug(text), text).to.equal(false);
  });
});

import { expect } from 'chai';
import { readFilters } from '../../../src/pages/live/filterText.js';

describe('filters as text', () => {
  it('are alternatives by commas, each of one value or of several', () => {
    expect(readFilters('eu, us+urgent')).to.eql(['eu', ['us', 'urgent']]);
    expect(readFilters(' eu ')).to.eql(['eu']);
  });

  it('leave out what is empty', () => {
    expect(readFilters('')).to.eql([]);
    expect(readFilters(' , +, eu+ ')).to.eql(['eu']);
  });
});

import { expect } from 'chai';
import { monthAt } from '../../src/domain/month.js';

describe('a calendar month', () => {
  it('is named and bounded in UTC', () => {
    const [from, until] = [Date.UTC(2026, 1), Date.UTC(2026, 2)];
    for (const time of [from, from + 1, until - 1])
      expect(monthAt(time)).to.deep.equal({ name: '2026-02', from, until });
    expect(monthAt(until).name).to.equal('2026-03');
    expect(monthAt(from - 1).name).to.equal('2026-01');
  });

  it('changes with the year', () => {
    const december = monthAt(Date.UTC(2026, 11, 31, 23, 59, 59, 999));
    expect(december).to.include({ name: '2026-12', until: Date.UTC(2027, 0) });
    expect(monthAt(december.until).name).to.equal('2027-01');
  });
});

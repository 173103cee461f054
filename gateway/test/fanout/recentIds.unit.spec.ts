import { expect } from 'chai';
import { RecentIds } from '../../src/fanout/deliverFromBus.js';

const upTo = (count: number): readonly string[] => Array.from({ length: count }, (_, n) => `id-${n}`);

describe('recent ids', () => {
  it('are known again, as many as were asked for', () => {
    const ids = new RecentIds(10);
    for (const id of upTo(35)) expect(ids.isRepeated(id)).to.equal(false);
    for (const id of upTo(35).slice(-10)) expect(ids.isRepeated(id)).to.equal(true);
  });

  it('are forgotten when twice as many have come', () => {
    const ids = new RecentIds(10);
    for (const id of upTo(30)) ids.isRepeated(id);
    expect(ids.isRepeated('id-9')).to.equal(false);
  });

  it('are not renewed by a second copy, which could push others out', () => {
    const ids = new RecentIds(10);
    for (const id of upTo(10)) ids.isRepeated(id);
    for (let times = 0; times < 100; times++) expect(ids.isRepeated('id-3')).to.equal(true);
    expect(ids.isRepeated('id-0')).to.equal(true);
  });
});

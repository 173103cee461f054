import { expect } from 'chai';
import { heapBytes } from '../../src/runtime/heapBytes.js';

const megabyte = 2 ** 20;

describe('heapBytes', () => {
  it('counts a byte for each character of text, and two where any of them needs two', () => {
    expect(heapBytes('x'.repeat(megabyte))).to.be.within(megabyte, 1.01 * megabyte);
    expect(heapBytes('ü'.repeat(megabyte))).to.be.within(megabyte, 1.01 * megabyte);
    expect(heapBytes(`${'x'.repeat(megabyte)}€`)).to.be.within(2 * megabyte, 2.01 * megabyte);
    expect(heapBytes('\u{1f600}'.repeat(megabyte))).to.be.within(4 * megabyte, 4.01 * megabyte);
  });

  it('counts what is in lists and objects, at any depth', () => {
    const text = 'x'.repeat(megabyte);
    expect(heapBytes({ metadata: { list: [text, { text }] } })).to.be.within(2 * megabyte, 2.01 * megabyte);
  });

  it('counts what lists, objects, fields and numbers take themselves', () => {
    expect(heapBytes(Array.from({ length: 100_000 }, () => ({})))).to.be.above(5_000_000);
    expect(heapBytes(Array.from({ length: 100_000 }, () => 0.5))).to.be.above(1_600_000);
    const fields = Object.fromEntries(Array.from({ length: 10_000 }, (_, index) => [`field-${index}`, null]));
    expect(heapBytes(fields)).to.be.above(150_000);
  });
});

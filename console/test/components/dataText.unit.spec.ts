import { expect } from 'chai';
import { bytesOf, hexDump, jsonText, previewOf, sizeText } from '../../src/components/dataText.js';

describe('data as text', () => {
  it('is one line, cut off where it is long', () => {
    expect(previewOf({ text: 'Hi', list: [1, null], empty: {} })).to.equal(
      '{ text: "Hi", list: [1, null], empty: { } }',
    );
    expect(previewOf('x'.repeat(500))).to.have.lengthOf(161);
    // Only the beginning is looked at.
    const long = Array.from({ length: 1_000_000 }, () => 1);
    expect(previewOf(long)).to.match(/^\[1, 1.*…$/);
  });

  it('has what JSON has not', () => {
    expect(previewOf([2n ** 60n, new Date(0), Number.NaN, undefined])).to.equal(
      '[1152921504606846976, 1970-01-01T00:00:00.000Z, NaN, nothing]',
    );
    expect(previewOf(Uint8Array.of(1, 255))).to.equal('2 bytes: 01 ff');
    expect(previewOf(new Date(Number.NaN))).to.equal('no time');
  });

  it('shows what would turn its direction', () => {
    expect(previewOf({ 'a\u202eb': 'x\u2066y', ok: 'שלום' })).to.equal(
      String.raw`{ a\u202eb: "x\u2066y", ok: "שלום" }`,
    );
  });

  it('is bytes in hex and letters', () => {
    const [line = ''] = hexDump(new TextEncoder().encode('Roomwire\n')).split('\n');
    expect(line).to.match(/^000000 {2}52 6f 6f 6d 77 69 72 65 0a +Roomwire\.$/);
    expect(hexDump(new Uint8Array(2_048)).split('\n').at(-1)).to.equal('… and 1.0 KiB more');
    expect([0, 1, 1_024, 3 * 1_048_576].map(sizeText)).to.eql(['0 bytes', '1 byte', '1.0 KiB', '3.0 MiB']);
  });

  it('is JSON to copy, with bytes in base64 and long integers as text', () => {
    const text = jsonText({ photo: Uint8Array.of(1, 2, 255), big: 1n });
    expect(JSON.parse(text)).to.eql({ photo: 'AQL/', big: '1' });
    expect([...bytesOf('AQL/')]).to.eql([1, 2, 255]);
  });
});

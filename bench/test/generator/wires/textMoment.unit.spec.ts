import { Buffer } from 'node:buffer';
import { expect } from 'chai';
import { momentOfText, textOfMoment } from '../../../src/generator/wires/textMoment.js';

describe('A moment as text', () => {
  const rawOf = (text: string): number => Buffer.from(text, 'latin1').readDoubleLE(0);

  it('is parsed back to a hundredth of a millisecond', () => {
    for (const moment of [0, 0.01, 0.44, 1234.56, 7_777_777.77, 86_400_000.5])
      expect(momentOfText(rawOf(textOfMoment(moment))), String(moment)).to.be.closeTo(moment, 0.006);
  });

  it('needs no escape in JSON, whatever its digits', () => {
    for (let digit = 0; digit < 64; digit += 1) {
      const text = textOfMoment((digit + 64 * digit) / 100);
      expect(JSON.stringify(text), text).to.equal(`"${text}"`);
      expect(text).to.match(/^[\x20-\x7e]{8}$/);
      expect(momentOfText(rawOf(text))).to.equal((digit + 64 * digit) / 100);
    }
  });

  it('is before all others where no stamp was written', () => {
    expect(momentOfText(rawOf('........'))).to.be.lessThan(0);
  });
});

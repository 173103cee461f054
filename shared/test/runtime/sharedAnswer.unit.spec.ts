import { expect } from 'chai';
import { SharedAnswer } from '../../src/runtime/sharedAnswer.js';

describe('an answer for all who ask at once', () => {
  let asked: { answer(value: number): void; fail(error: Error): void }[];
  let shared: SharedAnswer<number>;

  beforeEach(() => {
    asked = [];
    shared = new SharedAnswer(() => new Promise((answer, fail) => asked.push({ answer, fail })));
  });

  it('is of a moment after each of the questions', async () => {
    const first = shared.get();
    const later = [shared.get(), shared.get(), shared.get()];
    expect(asked).to.have.lengthOf(1);
    asked[0]?.answer(1);
    expect(await first).to.equal(1);
    expect(asked).to.have.lengthOf(2);
    const last = shared.get();
    asked[1]?.answer(2);
    expect(await Promise.all(later)).to.eql([2, 2, 2]);
    asked[2]?.answer(3);
    expect(await last).to.equal(3);
  });

  it('is asked for again after a failure', async () => {
    const first = shared.get().catch(String);
    const second = shared.get();
    asked[0]?.fail(new Error('Away'));
    expect(await first).to.equal('Error: Away');
    asked[1]?.answer(2);
    expect(await second).to.equal(2);
    const third = shared.get();
    asked[2]?.answer(3);
    expect(await third).to.equal(3);
  });
});

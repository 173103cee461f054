import { expect } from 'chai';
import { Turns } from '../../src/webhooks/turns.js';

const settled = (): Promise<void> => new Promise(setImmediate);

interface Promised<T> {
  readonly promise: Promise<T>;
  readonly resolve: (value: T) => void;
  readonly reject: (error: Error) => void;
}

const promised = <T>(): Promised<T> => {
  let resolve: Promised<T>['resolve'] = () => undefined;
  let reject: Promised<T>['reject'] = () => undefined;
  const promise = new Promise<T>((yes, no) => ([resolve, reject] = [yes, no]));
  return { promise, resolve, reject };
};

describe('turns', () => {
  let turns: Turns;
  let began: string[];

  beforeEach(() => {
    turns = new Turns();
    began = [];
  });

  const take = (key: string, needed: Promise<string>) =>
    turns.take(key, needed, async (value) => {
      began.push(value);
      return value;
    });

  it('begin in the order in which they were asked for, and not before what they need is there', async () => {
    const [first, second] = [promised<string>(), promised<string>()];
    const both = Promise.all([take('room', first.promise), take('room', second.promise)]);
    second.resolve('second');
    await settled();
    expect(began).to.eql([]);
    first.resolve('first');
    expect(await both).to.eql(['first', 'second']);
    expect(began).to.eql(['first', 'second']);
  });

  it('of other keys do not wait', async () => {
    void take('room', promised<string>().promise);
    expect(await take('other', Promise.resolve('other'))).to.equal('other');
  });

  it('do not wait for the end of the one before', async () => {
    const endless = turns.take('room', Promise.resolve(''), () => new Promise<void>(() => undefined));
    expect(await take('room', Promise.resolve('next'))).to.equal('next');
    void endless;
  });

  it('fail alone, with what they need or with what they do', async () => {
    const lost = promised<string>();
    const failing = take('room', lost.promise);
    const acting = turns.take('room', Promise.resolve(''), () => Promise.reject(new Error('act')));
    const last = take('room', Promise.resolve('last'));
    lost.reject(new Error('lost'));
    const errors = await Promise.allSettled([failing, acting]);
    expect(errors.map((outcome) => outcome.status === 'rejected' && String(outcome.reason))).to.eql([
      ...['Error: lost', 'Error: act'],
    ]);
    expect(await last).to.equal('last');
  });
});

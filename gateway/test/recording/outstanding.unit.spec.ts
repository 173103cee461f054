import { expect } from 'chai';
import type { Subscription } from '../../src/fanout/subscription.js';
import { Outstanding } from '../../src/recording/outstanding.js';

const subscription = (name: string): Subscription => ({ name }) as unknown as Subscription;
const [one, other] = [subscription('one'), subscription('other')];

const outstandingOf = (bound?: number) => {
  const heard: unknown[] = [];
  const hooks = {
    onAcked: (of: Subscription, msgId: string) => void heard.push(['acked', of, msgId]),
    onForgotten: (of: Subscription, msgId: string) => void heard.push(['forgotten', of, msgId]),
  };
  return { heard, outstanding: new Outstanding(hooks, bound) };
};

describe('what a member of worker groups has not acknowledged', () => {
  it('[WS-ACK-3] hears of each message once, with its subscription', () => {
    const { heard, outstanding } = outstandingOf();
    outstanding.delivered(one, 'a');
    outstanding.delivered(other, 'b');
    for (const msgId of ['b', 'b', 'unknown', 'a', 'a']) outstanding.acked(msgId);
    expect(heard).to.deep.equal([
      ['acked', other, 'b'],
      ['acked', one, 'a'],
    ]);
    expect(outstanding.size).to.equal(0);
  });

  it('[WS-ACK-3] is bounded: the oldest are forgotten, and told of', () => {
    const { heard, outstanding } = outstandingOf(3);
    for (const msgId of ['a', 'b', 'c', 'a', 'd']) outstanding.delivered(one, msgId);
    expect(heard).to.deep.equal([['forgotten', one, 'b']]);
    expect(outstanding.size).to.equal(3);
    outstanding.acked('b');
    expect(heard).to.have.lengthOf(1);
  });

  it('is bounded where nobody says how much', () => {
    const { heard, outstanding } = outstandingOf();
    for (let n = 0; n < 20_000; n++) outstanding.delivered(one, String(n));
    expect(outstanding.size).to.equal(10_000);
    expect(heard).to.have.lengthOf(10_000);
  });

  it('gives back what a subscription has left when it is over', () => {
    const { heard, outstanding } = outstandingOf();
    outstanding.delivered(one, 'a');
    outstanding.delivered(other, 'b');
    outstanding.delivered(one, 'c');
    expect(outstanding.drop(one)).to.deep.equal(['a', 'c']);
    for (const msgId of ['a', 'b', 'c']) outstanding.acked(msgId);
    expect(heard).to.deep.equal([['acked', other, 'b']]);
  });
});

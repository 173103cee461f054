import { expect } from 'chai';
import { PendingAcks } from '../../src/subscriptions/pendingAcks.js';

const pendingAcksOf = (bound?: number) => {
  const heard: unknown[] = [];
  const subscription = (name: string) => ({ done: (msgId: string) => void heard.push([name, msgId]) });
  return { heard, acks: new PendingAcks(bound), one: subscription('one'), other: subscription('other') };
};

describe('what a member of worker groups has not acknowledged', () => {
  it('[WS-ACK-3] is completed once for each message, by its subscription', () => {
    const { heard, acks, one, other } = pendingAcksOf();
    acks.delivered(one, 'a');
    acks.delivered(other, 'b');
    for (const msgId of ['b', 'b', 'unknown', 'a', 'a']) acks.acked(msgId);
    expect(heard).to.deep.equal([
      ['other', 'b'],
      ['one', 'a'],
    ]);
    expect(acks.size).to.equal(0);
  });

  it('[WS-ACK-3] is bounded: the oldest count as completed', () => {
    const { heard, acks, one } = pendingAcksOf(3);
    for (const msgId of ['a', 'b', 'c', 'a', 'd']) acks.delivered(one, msgId);
    expect(heard).to.deep.equal([['one', 'b']]);
    expect(acks.size).to.equal(3);
    acks.acked('b');
    expect(heard).to.have.lengthOf(1);
  });

  it('is bounded by default', () => {
    const { heard, acks, one } = pendingAcksOf();
    for (let n = 0; n < 20_000; n++) acks.delivered(one, String(n));
    expect(acks.size).to.equal(10_000);
    expect(heard).to.have.lengthOf(10_000);
  });

  it('of a subscription is dropped and returned when it ends', () => {
    const { heard, acks, one, other } = pendingAcksOf();
    acks.delivered(one, 'a');
    acks.delivered(other, 'b');
    acks.delivered(one, 'c');
    expect(acks.drop(one)).to.deep.equal(['a', 'c']);
    for (const msgId of ['a', 'b', 'c']) acks.acked(msgId);
    expect(heard).to.deep.equal([['other', 'b']]);
  });
});

import { expect } from 'chai';
import { impactText } from '../../src/cli/resources/impactText.js';

describe('what a change would cut off', () => {
  const ann = {
    ...{ actorTokenId: 'a1', name: 'Ann', address: 'shop/hall/chat', scope: null },
    ...{ rule: 'room_inactive', connections: 2 },
  };

  it('is a sentence, and a line for each of those that are hit most', () =>
    expect(impactText({ data: [ann], total: 2 })).to.equal(
      [
        'It would end 2 subscriptions now',
        'NAME  ADDRESS         SCOPE  RULE           CONNECTIONS  ACTOR TOKEN ID',
        'Ann   shop/hall/chat  -      room_inactive  2            a1',
        '',
      ].join('\n'),
    ));

  it('says how many more there are than are shown', () =>
    expect(impactText({ data: [ann], total: 3 })).to.match(/\nand 1 subscription more\n$/));

  it('says of an actor how many connections would close, also those without a subscription', () => {
    expect(impactText({ data: [], total: 0, connections: 1 })).to.equal('It would close 1 connection now\n');
    expect(impactText({ data: [ann], total: 2, connections: 2 })).to.match(
      /^It would close 2 connections and end 2 subscriptions now\n/,
    );
  });

  it('says so where that is nobody', () => {
    for (const impact of [
      { data: [], total: 0 },
      { data: [], total: 0, connections: 0 },
    ])
      expect(impactText(impact)).to.equal('It would cut nobody off now\n');
  });
});

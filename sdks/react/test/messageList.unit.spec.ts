import { expect } from 'chai';
import fc from 'fast-check';
import { inserted, oldestPosition, type MessageList } from '../src/messageList.js';
import { messageOf, textsOf } from './scriptedClient.js';

const listOf = (...messages: MessageList): MessageList => messages.reduce<MessageList>(inserted, []);

describe('the list of messages', () => {
  it('is in the order of the positions, in whatever order messages come, and has each once', () => {
    const positions = fc.array(fc.integer({ min: 100, max: 130 }).map(String));
    fc.assert(
      fc.property(positions, (all) => {
        const list = listOf(...all.map((position) => messageOf(position, position)));
        expect(textsOf(list)).to.eql([...new Set(all)].sort());
      }),
    );
  });

  it('is in the order of their coming where there are no positions', () => {
    expect(textsOf(listOf(messageOf('b'), messageOf('a'), messageOf('b')))).to.eql(['b', 'a']);
  });

  it('has an own message at the end, and at its place once that is known', () => {
    const own = listOf(messageOf('1', '1'), messageOf('own'), messageOf('3', '3'));
    expect(textsOf(own)).to.eql(['1', 'own', '3']);
    const placed = listOf(messageOf('1', '1'), messageOf('own'), messageOf('3', '3'), messageOf('own', '4'));
    expect(textsOf(placed)).to.eql(['1', '3', 'own']);
    expect(textsOf(listOf(...placed, messageOf('own')))).to.eql(['1', '3', 'own']);
  });

  it('has earlier messages before those that are there, own ones at the end as well', () => {
    const list = listOf(messageOf('3', '3'), messageOf('own'), messageOf('2', '2'), messageOf('1', '1'));
    expect(textsOf(list)).to.eql(['1', '2', '3', 'own']);
  });

  it('is another list only where something is new', () => {
    const list = listOf(messageOf('1', '1'));
    expect(inserted(list, messageOf('1', '1'))).to.equal(list);
  });

  it('keeps messages without meta apart', () => {
    const bare = { ...messageOf('x'), meta: undefined };
    expect(listOf(bare, bare)).to.have.lengthOf(2);
  });

  it('says from where on earlier messages are missing', () => {
    expect(oldestPosition([])).to.equal(undefined);
    expect(oldestPosition([messageOf('own'), messageOf('2', '2'), messageOf('3', '3')])).to.equal('2');
  });
});

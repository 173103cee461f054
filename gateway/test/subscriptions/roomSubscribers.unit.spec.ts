import { expect } from 'chai';
import { RoomSubscribers, SubscribedRooms } from '../../src/subscriptions/roomSubscribers.js';

describe('the connections that are subscribed in a room', () => {
  it('count once, as long as they have a topic there', () => {
    const all = new RoomSubscribers();
    const [one, other] = [new SubscribedRooms(all), new SubscribedRooms(all)];
    for (const room of ['hall', 'hall', 'yard']) one.enter(room);
    other.enter('hall');
    expect([all.in('hall'), all.in('yard'), all.in('attic')]).to.eql([2, 1, 0]);
    one.leave('hall');
    one.leave('yard');
    expect([all.in('hall'), all.in('yard')]).to.eql([2, 0]);
    one.leave('hall');
    one.leave('hall');
    expect(all.in('hall')).to.equal(1);
  });
});

import { expect } from 'chai';
import { RetainedDeletions } from '../../src/fanout/retainedDeletions.js';

const time = Date.UTC(2026, 0, 1);
const idAt = (at: number): string => `${at.toString(36).padStart(9, '0')}0000.gateway`;
const kept = { appId: 'app', roomId: 'room', accessScopeId: null, seconds: 60, messages: 10 };
const internal = (name: string): string => `project/app/_/room/${name}`;
const value = (at: number, fields: object = {}) => ({
  ...{ appId: 'app', roomId: 'room', accessScopeId: null, id: idAt(at), kept },
  ...fields,
});

describe('[WS-HIST-13] the last value of a topic whose history is deleted', () => {
  let deletions: RetainedDeletions;
  beforeEach(() => void (deletions = new RetainedDeletions()));

  it('is gone if it was accepted by then, and one that is newer is not', () => {
    deletions.topicDeleted({ roomId: 'room', accessScopeId: null, topic: 'news' }, time);
    expect(deletions.cover(value(time), internal('news'))).to.equal(true);
    expect(deletions.cover(value(time - 1, { kept: undefined }), internal('news'))).to.equal(true);
    expect(deletions.cover(value(time + 1), internal('news'))).to.equal(false);
  });

  it('is that of the room, the scope and the topic', () => {
    deletions.topicDeleted({ roomId: 'room', accessScopeId: 'scope', topic: 'news' }, time);
    expect(deletions.cover(value(time), internal('news'))).to.equal(false);
    expect(deletions.cover(value(time, { accessScopeId: 'scope' }), internal('news'))).to.equal(true);
    expect(deletions.cover(value(time, { accessScopeId: 'scope' }), internal('other'))).to.equal(false);
    const elsewhere = value(time, { accessScopeId: 'scope', roomId: 'hall' });
    expect(deletions.cover(elsewhere, internal('news'))).to.equal(false);
  });

  it('goes where history is switched off, but not where there was none', () => {
    deletions.topicsConfigured('app', { chat: { history: {} }, news: { history: null } }, time);
    expect(deletions.cover(value(time), internal('news'))).to.equal(true);
    expect(deletions.cover(value(time), internal('other'))).to.equal(true);
    expect(deletions.cover(value(time), internal('chat'))).to.equal(false);
    expect(deletions.cover(value(time, { kept: undefined }), internal('news'))).to.equal(false);
    expect(deletions.cover(value(time, { appId: 'another' }), internal('news'))).to.equal(false);
    expect(deletions.cover(value(time + 1), internal('news'))).to.equal(false);
  });

  it('is remembered for the latest ten thousand', () => {
    const deleted = (room: number) =>
      deletions.topicDeleted({ roomId: `room-${room}`, accessScopeId: null, topic: 'news' }, time);
    for (let room = 0; room <= 10_000; room++) deleted(room);
    const isKnown = (room: number) =>
      deletions.cover(value(time, { roomId: `room-${room}` }), internal('news'));
    expect([isKnown(0), isKnown(1), isKnown(10_000)]).to.eql([false, true, true]);
  });
});

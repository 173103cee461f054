import { expect } from 'chai';
import { positionOf, type Place } from '@roomwire/shared/wire/protocol/position';
import { RetainedDeletions, type Deletable } from '../../src/fanout/retainedDeletions.js';

const time = Date.UTC(2026, 0, 1);
const to: Place = { epoch: 1_000, offset: 7 };
const room = 'project/app/_/room';
const kept = { appId: 'app', roomId: 'room', accessScopeId: null, seconds: 60, messages: 10 };

const value = (at: number, fields: Partial<Deletable> = {}): Deletable => ({
  ...{ appId: 'app', roomId: 'room', accessScopeId: null, topic: `${room}/news`, kept },
  id: `${at.toString(36).padStart(9, '0')}0000.gateway`,
  ...fields,
});
const named = (name: string): Partial<Deletable> => ({ topic: `${room}/${name}` });

const deleted = (roomId = 'room', accessScopeId: string | null = null) => {
  const upTo = positionOf({ room, roomId, accessScopeId, name: 'news' }, to);
  return { room, roomId, accessScopeId, topic: 'news', upTo };
};

describe('[WS-HIST-13] the last value of a topic whose history is deleted', () => {
  let deletions: RetainedDeletions;
  beforeEach(() => void (deletions = new RetainedDeletions()));

  it('is gone if it was accepted by then, and one that is newer is not', () => {
    deletions.topicDeleted(deleted(), time);
    expect(deletions.cover(value(time))).to.equal(true);
    expect(deletions.cover(value(time - 1, { kept: undefined }))).to.equal(true);
    expect(deletions.cover(value(time + 1))).to.equal(false);
  });

  it('is judged by its place where that is known, whatever the clocks say', () => {
    deletions.topicDeleted(deleted(), time);
    expect(deletions.cover(value(time + 1, { place: to }))).to.equal(true);
    expect(deletions.cover(value(time - 1, { place: { ...to, offset: 8 } }))).to.equal(false);
  });

  it('is judged by the time where the position cannot be read', () => {
    deletions.topicDeleted({ ...deleted(), upTo: 'of a newer version' }, time);
    expect(deletions.cover(value(time, { place: { ...to, offset: 8 } }))).to.equal(true);
  });

  it('is that of the room, the scope and the topic', () => {
    deletions.topicDeleted(deleted('room', 'scope'), time);
    const scoped = { accessScopeId: 'scope' };
    expect(deletions.cover(value(time, scoped))).to.equal(true);
    for (const other of [{}, { ...scoped, ...named('other') }, { ...scoped, roomId: 'hall' }])
      expect(deletions.cover(value(time, other))).to.equal(false);
  });

  it('goes where history is switched off, but not where there was none', () => {
    deletions.topicsConfigured('app', { chat: { history: {} }, news: { history: null } }, time);
    for (const gone of [{}, named('other')]) expect(deletions.cover(value(time, gone))).to.equal(true);
    for (const stays of [named('chat'), { kept: undefined }, { appId: 'another' }])
      expect(deletions.cover(value(time, stays))).to.equal(false);
    expect(deletions.cover(value(time + 1))).to.equal(false);
  });

  it('is remembered for the latest ten thousand', () => {
    for (let at = 0; at <= 10_000; at++) deletions.topicDeleted(deleted(`room-${at}`), time);
    const isKnown = (at: number) => deletions.cover(value(time, { roomId: `room-${at}` }));
    expect([isKnown(0), isKnown(1), isKnown(10_000)]).to.eql([false, true, true]);
  });
});

import { expect } from 'chai';
import {
  internalRoom,
  internalTopic,
  isSlug,
  isTopicName,
  roomOfTopic,
  parseTopicAddress,
} from '../../src/domain/topic.js';

describe('topic addresses', () => {
  it('have an app, a room and a topic', () => {
    expect(parseTopicAddress('app-1/room/webrtc:offer')).to.eql({
      app: 'app-1',
      room: 'room',
      topic: 'webrtc:offer',
    });
  });

  it('have no other form, and no wildcard', () => {
    for (const text of [
      '',
      'a',
      'a/b',
      'a/b/c/d',
      '/b/c',
      'a//c',
      'a/b/',
      'a/b/#',
      'a/+/c',
      '*/b/c',
      'a/b/c\0',
      'a/_/c',
    ])
      expect(parseTopicAddress(text), text).to.equal(undefined);
  });

  it('name topics with letters, digits, underscores, colons and hyphens', () => {
    for (const name of ['a', 'A_b-c:9', 'x'.repeat(100)]) expect(isTopicName(name), name).to.equal(true);
    for (const name of ['', 'a/b', 'a b', 'é', 'a\n', 'x'.repeat(101)])
      expect(isTopicName(name), name).to.equal(false);
  });

  it('never collide across projects and scopes', () => {
    const rooms = [
      internalRoom('p1', null, 'a', 'r'),
      internalRoom('p2', null, 'a', 'r'),
      internalRoom('p1', 's', 'a', 'r'),
      internalRoom('p1', null, 'a', 's'),
    ];
    expect(new Set(rooms).size).to.equal(rooms.length);
    expect(internalTopic(internalRoom('p1', null, 'a', 'r'), 't')).to.equal('p1/a/_/r/t');
    expect(roomOfTopic('p1/a/_/r/t')).to.equal('p1/a/_/r');
  });
});

describe('slugs', () => {
  it('are lower-case letters, digits and inner hyphens', () => {
    for (const slug of ['a', '7', 'ab', 'a-b', 'a--b', 'x'.repeat(100)])
      expect(isSlug(slug), slug).to.equal(true);
    for (const text of ['', '-', '-a', 'a-', 'A', 'a_b', 'a b', 'é', 'a/b', 'a\n', 'x'.repeat(101)])
      expect(isSlug(text), text).to.equal(false);
  });
});

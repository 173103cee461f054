import { expect } from 'chai';
import { readCapabilities } from '../../src/credentials/capabilityClaim.js';
import { Capabilities, maxCapabilityPatterns } from '../../src/domain/capabilities.js';
import { parseTopicAddress } from '../../src/domain/topic.js';

const of = (claim: unknown): Capabilities => {
  const read = readCapabilities({ capabilities: claim });
  if (!(read instanceof Capabilities)) throw new Error(`Not read: ${JSON.stringify(claim)}`);
  return read;
};

const rightsAt = (claim: unknown, address: string): readonly string[] => {
  const parts = parseTopicAddress(address);
  if (parts === undefined) throw new Error(`No address: ${address}`);
  return [...of(claim).at(parts)].sort();
};

describe('capabilities of a client token', () => {
  it('hold where each segment is the literal, any, or begins with it', () => {
    const claim = { 'chat/room-*/*': ['subscribe'] };
    for (const address of ['chat/room-1/news', 'chat/room-a-b/news', 'chat/room-1/typing'])
      expect(rightsAt(claim, address), address).to.eql(['subscribe']);
    for (const address of ['chat/rooms/news', 'chats/room-1/news', 'chat/aroom-1/news', 'other/room-1/news'])
      expect(rightsAt(claim, address), address).to.eql([]);
    expect(rightsAt({ '*/*/*': ['publish'] }, 'any/where/at-all')).to.eql(['publish']);
    expect(rightsAt({ 'c*/r*/n*': ['publish'] }, 'chat/room/news')).to.eql(['publish']);
    expect(rightsAt({ 'chat/room/new': ['publish'] }, 'chat/room/news')).to.eql([]);
  });

  it('are united where patterns overlap', () => {
    const claim = {
      'chat/*/*': ['subscribe'],
      'chat/lobby/*': ['publish', 'history'],
      'chat/lobby/news': ['subscribe', 'presence'],
    };
    expect(rightsAt(claim, 'chat/lobby/news')).to.eql(['history', 'presence', 'publish', 'subscribe']);
    expect(rightsAt(claim, 'chat/lobby/other')).to.eql(['history', 'publish', 'subscribe']);
    expect(rightsAt(claim, 'chat/hall/news')).to.eql(['subscribe']);
  });

  it('allow nothing where they are empty', () => {
    expect(rightsAt({}, 'chat/lobby/news')).to.eql([]);
    expect(rightsAt({ 'chat/lobby/news': [] }, 'chat/lobby/news')).to.eql([]);
    expect(of({}).allowPresence('chat', 'lobby')).to.equal(false);
  });

  it('look for presence at the app and the room alone', () => {
    const claim = of({
      'chat/lobby/news': ['presence'],
      'chat/hall/*': ['subscribe'],
      'c*/p-*/x': ['presence'],
    });
    expect(claim.allowPresence('chat', 'lobby')).to.equal(true);
    expect(claim.allowPresence('chat', 'p-1')).to.equal(true);
    expect(claim.allowPresence('chat', 'hall')).to.equal(false);
    expect(claim.allowPresence('other', 'lobby')).to.equal(false);
    expect(claim.roomsNamed('chat')).to.eql(['lobby']);
    expect(claim.roomsNamed('other')).to.eql([]);
  });

  it('narrow nothing where the token has no such claim', () => {
    for (const roomwire of [undefined, {}, { actorType: 'user' }])
      expect(readCapabilities(roomwire), JSON.stringify(roomwire)).to.equal(undefined);
  });

  it('are malformed with anything but patterns of three segments and lists of known rights', () => {
    const pattern = (text: string) => ({ capabilities: { [text]: ['subscribe'] } });
    const rights = (value: unknown) => ({ capabilities: { 'a/b/c': value } });
    const malformed: readonly unknown[] = [
      ...['a/b', 'a/b/c/d', '', '/', '//', 'a//c', '*a/b/c', 'a/b*b/c', '**/b/c', 'a/b/**', '*'].map(pattern),
      ...['subscribe', null, {}, 7, ['subscribe', 'read'], ['Subscribe'], [null], [['subscribe']]].map(
        rights,
      ),
      ...[null, [], 'a/b/c', 7, true].map((capabilities) => ({ capabilities })),
      ...[null, [], 'capabilities', 7],
      JSON.parse('{ "capabilities": { "__proto__": ["subscribe"] } }'),
    ];
    for (const roomwire of malformed)
      expect(readCapabilities(roomwire), JSON.stringify(roomwire)).to.equal('malformed');
  });

  it('have at most 100 patterns', () => {
    const claim = (count: number) =>
      Object.fromEntries(Array.from({ length: count }, (_, n) => [`a/room-${n}/c`, ['subscribe']]));
    expect(rightsAt(claim(maxCapabilityPatterns), 'a/room-99/c')).to.eql(['subscribe']);
    expect(readCapabilities({ capabilities: claim(maxCapabilityPatterns + 1) })).to.equal('malformed');
  });
});

import { expect } from 'chai';
import fc from 'fast-check';
import { liveMessages, type LiveMessage } from '../../../src/wire/bus/liveMessage.js';
import { roomRecords } from '../../../src/wire/bus/roomRecord.js';
import { keptFrom, keptHeader, keptText, type KeptMeta } from '../../../src/wire/bus/keptMeta.js';

const id = fc.stringMatching(/^[a-z0-9-]{1,36}$/);
const metas: fc.Arbitrary<KeptMeta> = fc.record({
  appId: id,
  roomId: id,
  accessScopeId: fc.option(id),
  seconds: fc.integer({ min: 1, max: 7_776_000 }),
  messages: fc.integer({ min: 1, max: 100_000 }),
});

describe('what is kept of a message, on its header', () => {
  it('is read as it was written', () => {
    fc.assert(
      fc.property(metas, (meta) => {
        expect(keptFrom(keptText(meta))).to.eql(meta);
      }),
    );
  });

  it('is nothing where it is malformed', () => {
    const malformed = ['', '/', 'a/b', 'a/b/c/1', 'a/b//0/1', 'a/b//1/0', 'a/b//1/x', '/b//1/1', 'a//s/1/1'];
    for (const text of [...malformed, 'a/b//1/1/1', 'a/b//1.5/1', 'a/b//-1/1'])
      expect(keptFrom(text), text).to.equal(undefined);
  });

  it('is of messages, also among the commands of worker groups', () => {
    const kept = { appId: 'a', roomId: 'r', accessScopeId: null, seconds: 60, messages: 10 };
    const message = { room: 'p/a/_/r', kept } as LiveMessage;
    for (const channel of [liveMessages, roomRecords]) {
      const carrier = channel.carried?.find(({ header }) => header === keptHeader);
      expect(carrier?.of(message)).to.equal('a/r//60/10');
      expect(carrier?.of({ ...message, kept: undefined })).to.equal(undefined);
      expect(carrier?.onto({ room: 'p/a/_/r' } as LiveMessage, 'a/r//60/10')).to.eql(message);
    }
    const command = { kind: 'pause' } as never;
    for (const { of, onto } of roomRecords.carried ?? []) {
      expect(of(command)).to.equal(undefined);
      expect(onto(command, 'a/r//60/10')).to.equal(command);
    }
  });
});

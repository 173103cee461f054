import { expect } from 'chai';
import { liveMessage } from '@roomwire/testing/builders/liveMessage';
import { ReplayedMessages } from '../../src/history/replayedMessages.js';

const place = (offset: number) => ({ epoch: 1, offset });
const given = '0mi8k2x0a0001.gateway.connection~order-7';
const made = '0mi8k2x0a0002.gateway.connection';

describe('messages that were replayed', () => {
  it('[WS-HIST-7] are known when they come live once more, behind the place at which they were replayed', () => {
    const replayed = new ReplayedMessages();
    replayed.replayed({ message: liveMessage({ id: given }), place: place(5) });
    replayed.replayed({ message: liveMessage({ id: made, qos: 2 }), place: place(6) });
    expect(replayed.isSecondCopy({ id: given, place: place(9) })).to.equal(true);
    expect(replayed.isSecondCopy({ id: made, place: place(9) })).to.equal(true);
    // The very message, which arrives here after it was read from the record: others have yet to get it.
    expect(replayed.isSecondCopy({ id: given, place: place(5) })).to.equal(false);
    expect(replayed.isSecondCopy({ id: given, place: undefined })).to.equal(false);
  });

  it('are forgotten where they come once, and beyond the latest fifty thousand', () => {
    const replayed = new ReplayedMessages();
    replayed.replayed({ message: liveMessage({ id: made, qos: 1 }), place: place(5) });
    expect(replayed.isSecondCopy({ id: made, place: place(9) })).to.equal(false);
    for (let n = 0; n <= 50_000; n++)
      replayed.replayed({ message: liveMessage({ id: `${made}~${n}` }), place: place(n) });
    expect(replayed.isSecondCopy({ id: `${made}~0`, place: place(9) })).to.equal(false);
    expect(replayed.isSecondCopy({ id: `${made}~1`, place: place(9) })).to.equal(true);
  });
});

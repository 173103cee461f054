import { expect } from 'chai';
import { RevisionConflict } from '@roomwire/shared/ports/errors';
import type { EventLog, ExpectedRevision } from '@roomwire/shared/ports/eventLog';
import {
  allEvents,
  expectIncreasing,
  idsOf,
  newEvent,
  newEvents,
  rejectionOf,
  streamEvents,
} from './eventLogUnderTest.js';

export const appendContract = (log: () => EventLog): void => {
  const expectConflict = async (stream: string, expected: ExpectedRevision, events = newEvents(1)) => {
    const before = await allEvents(log());
    const error = await rejectionOf(log().append(stream, expected, events));
    expect(error).to.be.instanceOf(RevisionConflict).with.property('stream', stream);
    expect(await allEvents(log()), 'events in the log').to.deep.equal(before);
  };

  it('assigns revision 0 to the first event of a stream', async () => {
    const result = await log().append('room-1', 'none', [newEvent()]);
    expect(result.revision).to.equal(0);
    expect((await streamEvents(log(), 'room-1')).map(({ revision }) => revision)).to.deep.equal([0]);
  });

  it('assigns contiguous revisions to the events of one append, in order', async () => {
    const events = newEvents(3);
    await log().append('room-1', 'none', [newEvent()]);
    const result = await log().append('room-1', 0, events);
    expect(result.revision).to.equal(3);
    const recorded = await streamEvents(log(), 'room-1', 1);
    expect(idsOf(recorded)).to.deep.equal(idsOf(events));
    expect(recorded.map(({ revision }) => revision)).to.deep.equal([1, 2, 3]);
  });

  it('returns the position of the last event written', async () => {
    const { position } = await log().append('room-1', 'none', newEvents(3));
    expect((await streamEvents(log(), 'room-1')).at(-1)).to.include({ position });
    expect((await allEvents(log())).at(-1)).to.include({ position });
  });

  it('assigns positions that compare as text, increasing across streams', async () => {
    const positions: string[] = [];
    for (let revision = 0; revision < 12; revision += 1) {
      const expected = revision === 0 ? 'none' : revision - 1;
      for (const stream of ['room-1', 'room-2']) {
        positions.push((await log().append(stream, expected, [newEvent()])).position);
      }
    }
    expectIncreasing(positions);
    expect((await allEvents(log())).map(({ position }) => position)).to.deep.equal(positions);
  });

  it('refuses an expectation that is behind, ahead, or of a missing stream', async () => {
    await log().append('room-1', 'none', newEvents(3));
    await expectConflict('room-1', 1);
    await expectConflict('room-1', 3);
    await expectConflict('room-2', 0);
  });

  it("refuses 'none' for an existing stream", async () => {
    await log().append('room-1', 'none', [newEvent()]);
    await expectConflict('room-1', 'none');
  });

  it('writes all events of an append or none', async () => {
    await log().append('room-1', 'none', newEvents(2));
    await expectConflict('room-1', 0, newEvents(5));
  });

  it('continues at the revision of the stream after a refusal', async () => {
    await log().append('room-1', 'none', newEvents(2));
    await expectConflict('room-1', 0);
    expect(await log().append('room-1', 1, [newEvent()])).to.include({ revision: 2 });
  });

  describe('repeated with the same events', () => {
    const expectRepeatable = async (expected: ExpectedRevision) => {
      const events = newEvents(3);
      const first = await log().append('room-1', expected, events);
      await log().append('room-2', 'none', [newEvent()]);
      const before = await allEvents(log());
      expect(await log().append('room-1', expected, events)).to.deep.equal(first);
      expect(await allEvents(log())).to.deep.equal(before);
    };

    it('returns the first result again and writes nothing, for a new stream', () => expectRepeatable('none'));

    it('returns the first result again and writes nothing, for an existing stream', async () => {
      await log().append('room-1', 'none', newEvents(2));
      await expectRepeatable(1);
    });

    it('also when others have appended after them since', async () => {
      const events = newEvents(2);
      const first = await log().append('room-1', 'none', events);
      await log().append('room-1', 1, newEvents(4));
      expect(await log().append('room-1', 'none', events)).to.deep.equal(first);
      expect(await streamEvents(log(), 'room-1')).to.have.length(6);
    });

    it('refuses when only some of them are in the stream', async () => {
      const [first, second] = newEvents(2);
      await log().append('room-1', 'none', [first, second!]);
      await expectConflict('room-1', 'none', [first, newEvent()]);
      await expectConflict('room-1', 'none', [newEvent(), second!]);
      await expectConflict('room-1', 'none', [first, second!, newEvent()]);
    });

    it('refuses when they are there in another order, or in another place', async () => {
      const [first, second] = newEvents(2);
      await log().append('room-1', 'none', [first, second!]);
      await expectConflict('room-1', 'none', [second!, first]);
      await expectConflict('room-1', 0, [first]);
      await expectConflict('room-2', 1, [first, second!]);
    });
  });
};

import { expect } from 'chai';
import { RevisionConflict } from '@roomwire/shared/ports/errors';
import type { AppendResult, EventLog } from '@roomwire/shared/ports/eventLog';
import {
  allEvents,
  expectIncreasing,
  idsOf,
  newEvent,
  newEvents,
  streamEvents,
} from './eventLogUnderTest.js';

const times = <T>(count: number, make: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, index) => make(index));

const resultsOf = (settled: readonly PromiseSettledResult<AppendResult>[]): AppendResult[] =>
  settled.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value] : []));

const reasonsOf = (settled: readonly PromiseSettledResult<AppendResult>[]): unknown[] =>
  settled.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason as unknown] : []));

export const concurrencyContract = (log: () => EventLog): void => {
  it('accepts one of 50 writers with the same expectation', async () => {
    await log().append('room-1', 'none', [newEvent()]);
    const settled = await Promise.allSettled(times(50, () => log().append('room-1', 0, newEvents(2))));
    expect(resultsOf(settled)).to.have.length(1);
    expect(reasonsOf(settled)).to.have.length(49);
    for (const reason of reasonsOf(settled)) expect(reason).to.be.instanceOf(RevisionConflict);
    expect(await streamEvents(log(), 'room-1')).to.have.length(3);
  });

  it('stores 200 appends to as many streams, each at its own position', async () => {
    const events = times(200, () => newEvents(2));
    const results = await Promise.all(
      events.map((pair, index) => log().append(`room-${index}`, 'none', pair)),
    );
    const recorded = await allEvents(log());
    expect(idsOf(recorded)).to.have.members(events.flatMap(idsOf));
    expectIncreasing(recorded.map(({ position }) => position));
    for (const [index, result] of results.entries()) {
      expect((await streamEvents(log(), `room-${index}`)).at(-1)).to.include(result);
    }
  });

  it('keeps the events of one append together', async () => {
    await Promise.all(times(40, (index) => log().append(`room-${index}`, 'none', newEvents(5))));
    const recorded = await allEvents(log());
    for (let start = 0; start < recorded.length; start += 5) {
      const streams = recorded.slice(start, start + 5).map(({ stream }) => stream);
      expect(new Set(streams).size, 'streams within one append').to.equal(1);
    }
  });

  it('keeps refusals without effect on concurrent appends', async () => {
    await log().append('taken', 'none', [newEvent()]);
    const settled = await Promise.allSettled(
      times(60, (index) => log().append(index % 3 === 0 ? 'taken' : `room-${index}`, 'none', [newEvent()])),
    );
    expect(resultsOf(settled)).to.have.length(40);
    expect(reasonsOf(settled)).to.have.length(20);
    expect(await allEvents(log())).to.have.length(41);
  });

  it('lets writers that retry after a conflict build a stream without gaps', async () => {
    const appendAfterLoading = async (): Promise<void> => {
      const last = (await streamEvents(log(), 'room-1')).at(-1);
      await log()
        .append('room-1', last?.revision ?? 'none', [newEvent()])
        .catch((error: unknown) => {
          if (!(error instanceof RevisionConflict)) throw error;
          return appendAfterLoading();
        });
    };
    await Promise.all(times(20, appendAfterLoading));
    const revisions = (await streamEvents(log(), 'room-1')).map(({ revision }) => revision);
    expect(revisions).to.deep.equal(times(20, (index) => index));
  });

  it('returns the same result for an append that is sent twice at once', async () => {
    const events = newEvents(2);
    const [first, second] = await Promise.all(times(2, () => log().append('room-1', 'none', events)));
    expect(second).to.deep.equal(first);
    expect(await streamEvents(log(), 'room-1')).to.have.length(2);
  });
};

import { expect } from 'chai';
import type { EventLog } from '@roomwire/shared/ports/eventLog';
import { allEvents, idsOf, newEvent, newEvents, streamEvents } from './eventLogUnderTest.js';

/** What JSON can hold and careless code loses. */
const awkwardData = {
  text: 'Grüße, 世界, 👩‍🚀, "quoted" \\ \u0000 \u2028 \ud800',
  nothing: null,
  empty: ['', [], {}],
  numbers: [0, -1.5, 1e21, Number.MAX_SAFE_INTEGER],
  nested: { a: [{ b: { c: [true, false, null] } }] },
  keys: JSON.parse('{ "__proto__": { "admin": true }, "constructor": 1, "": 2, "10": 3, "9": 4 }') as unknown,
};

export const readingContract = (log: () => EventLog): void => {
  it('returns an event as it was written, with its position', async () => {
    const event = { ...newEvent(awkwardData), type: 'Ereignis-1', schemaVersion: 7 };
    const { position } = await log().append('room-1', 'none', [event]);
    const expected = { ...event, stream: 'room-1', revision: 0, position };
    expect(await streamEvents(log(), 'room-1')).to.deep.equal([expected]);
    expect(await allEvents(log())).to.deep.equal([expected]);
  });

  it('stores a __proto__ key of the data as a key', async () => {
    await log().append('room-1', 'none', [newEvent(awkwardData)]);
    const [event] = await streamEvents(log(), 'room-1');
    const { keys } = event!.data as { keys: object };
    expect(Object.keys(keys)).to.include('__proto__');
    expect(Object.getPrototypeOf(keys)).to.equal(Object.prototype);
    expect(keys).not.to.have.property('admin');
  });

  it('stores the metadata, also without a project', async () => {
    const event = newEvent();
    const metadata = { ...event.metadata, projectId: null, principal: 'session:zoë' };
    await log().append('room-1', 'none', [{ ...event, metadata }]);
    expect((await streamEvents(log(), 'room-1'))[0]?.metadata).to.deep.equal(metadata);
  });

  it('stores large events, also many of them', async () => {
    const data = { text: 'ä'.repeat(250_000) };
    for (let index = 0; index < 12; index += 1) await log().append(`room-${index}`, 'none', [newEvent(data)]);
    const events = await allEvents(log());
    expect(events).to.have.length(12);
    for (const event of events) expect(event.data).to.deep.equal(data);
  });

  it('shows an append to its writer as soon as it has resolved', async () => {
    for (let revision = 0; revision < 20; revision += 1) {
      const { position } = await log().append('room-1', revision === 0 ? 'none' : revision - 1, [newEvent()]);
      expect(await streamEvents(log(), 'room-1')).to.have.length(revision + 1);
      expect((await allEvents(log())).at(-1)).to.include({ position });
      expect(await log().head()).to.equal(position);
    }
  });

  describe('a stream', () => {
    it('yields nothing when it is unknown', async () => {
      await log().append('room-1', 'none', [newEvent()]);
      expect(await streamEvents(log(), 'room-2')).to.deep.equal([]);
    });

    it('starts at a revision, which is included', async () => {
      const events = newEvents(5);
      await log().append('room-1', 'none', events);
      expect(idsOf(await streamEvents(log(), 'room-1', 0))).to.deep.equal(idsOf(events));
      expect(idsOf(await streamEvents(log(), 'room-1', 3))).to.deep.equal(idsOf(events.slice(3)));
      expect(await streamEvents(log(), 'room-1', 5)).to.deep.equal([]);
    });

    it('contains only its own events, whatever the names of other streams', async () => {
      const names = ['room', 'room-1', 'room-10', 'room-1-a', 'Room-1'];
      for (const name of names) await log().append(name, 'none', [newEvent({ name })]);
      for (const name of names) await log().append(name, 0, [newEvent({ name })]);
      for (const name of names) {
        const events = await streamEvents(log(), name);
        expect(events.map(({ stream, revision, data }) => ({ stream, revision, data }))).to.deep.equal([
          { stream: name, revision: 0, data: { name } },
          { stream: name, revision: 1, data: { name } },
        ]);
      }
    });

    it('is complete and in order when it is long', async () => {
      const events = newEvents(1300);
      await log().append('room-1', 'none', events);
      const recorded = await streamEvents(log(), 'room-1');
      expect(idsOf(recorded)).to.deep.equal(idsOf(events));
      expect(recorded.map(({ revision }) => revision)).to.deep.equal(events.map((_, index) => index));
      expect(idsOf(await streamEvents(log(), 'room-1', 777))).to.deep.equal(idsOf(events.slice(777)));
    });
  });

  describe('the last event of a stream', () => {
    it('is undefined for an unknown stream', async () => {
      await log().append('room-1', 'none', [newEvent()]);
      expect(await log().readLast('room-2')).to.equal(undefined);
      expect(await log().readLast('room')).to.equal(undefined);
    });

    it('is what the last append wrote last', async () => {
      await log().append('room-1', 'none', newEvents(3));
      await log().append('room-10', 'none', newEvents(2));
      expect(await log().readLast('room-1')).to.deep.equal((await streamEvents(log(), 'room-1')).at(-1));
      const { revision, position } = await log().append('room-1', 2, newEvents(2));
      expect(await log().readLast('room-1')).to.include({ revision, position });
    });
  });

  describe('the whole log', () => {
    it('yields nothing while it is empty', async () => {
      expect(await allEvents(log())).to.deep.equal([]);
    });

    it('is complete and in order when it is long', async () => {
      const first = newEvents(700);
      const second = newEvents(700);
      await log().append('room-1', 'none', first);
      await log().append('room-2', 'none', second);
      expect(idsOf(await allEvents(log()))).to.deep.equal(idsOf([...first, ...second]));
    });

    it('starts after a position, which is excluded', async () => {
      for (const stream of ['room-1', 'room-2', 'room-3']) await log().append(stream, 'none', newEvents(2));
      const events = await allEvents(log());
      for (const [index, { position }] of events.entries()) {
        expect(await allEvents(log(), position)).to.deep.equal(events.slice(index + 1));
      }
    });

    it('can be left before its end', async () => {
      await log().append('room-1', 'none', newEvents(1200));
      for await (const batch of log().readAll()) {
        expect(batch[0]).to.include({ revision: 0 });
        break;
      }
      expect(await log().append('room-1', 1199, [newEvent()])).to.include({ revision: 1200 });
    });
  });

  describe('the identity', () => {
    it('is undefined while the log is empty', async () => {
      expect(await log().identity()).to.equal(undefined);
    });

    it('is the id of the first event, and stays', async () => {
      const events = newEvents(2);
      await log().append('room-2', 'none', events);
      await log().append('room-1', 'none', newEvents(600));
      expect(await log().identity()).to.equal(events[0].id);
    });
  });

  describe('the event at a position', () => {
    it('is the one that was appended there', async () => {
      await log().append('room-1', 'none', newEvents(3));
      await log().append('room-2', 'none', newEvents(2));
      for (const event of await allEvents(log()))
        expect(await log().readAt(event.position)).to.deep.equal(event);
    });

    it('is undefined where there is none, before, between and beyond, and for a text that is no position', async () => {
      const { position } = await log().append('room-1', 'none', newEvents(3));
      const [first] = await allEvents(log());
      const beside = first?.position.replaceAll(/\d(?=-|$)/g, (digit) => (digit === '0' ? '1' : '0')) ?? '';
      const beyond = position.replaceAll(/(?<=^\d|-\d)\d/g, '1');
      for (const place of [position.replaceAll(/\d/g, '0'), beside, beyond, '7', '', 'C:1/P:1'])
        expect(await log().readAt(place), place).to.equal(undefined);
      expect(await log().readAt(position)).to.include({ position });
    });

    it('is undefined while the log is empty', async () => {
      expect(await log().readAt('0'.repeat(15) + '1')).to.equal(undefined);
    });
  });

  describe('the head', () => {
    it('is undefined while the log is empty', async () => {
      expect(await log().head()).to.equal(undefined);
    });

    it('is the position of the last event', async () => {
      await log().append('room-1', 'none', newEvents(3));
      const { position } = await log().append('room-2', 'none', newEvents(2));
      expect(await log().head()).to.equal(position);
    });
  });
};

import { join } from 'node:path';
import { expect } from 'chai';
import { openEmbeddedMessageBus } from '../../../src/adapters/message-bus/embeddedMessageBus.js';
import type { ChannelJournal } from '../../../src/adapters/message-bus/journaledSends.js';
import { EngineUnavailable } from '../../../src/ports/errors.js';
import { unknownOffset, type MeasuredBus } from '../../../src/ports/messageBus.js';
import { liveMessages, type LiveMessage } from '../../../src/wire/bus/liveMessage.js';
import { eventually } from '@roomwire/testing/run/eventually';
import { seededChance } from '@roomwire/testing/run/seededChance';
import { temporaryFolder, type TemporaryFolder } from '@roomwire/testing/run/temporaryFolder';
import { idOf, keptMessage, otherMessage } from '../../history/keptMessages.js';

interface Append {
  readonly id: string;
  store(): void;
  refuse(): void;
}

/** Stores what a test says, when it says so. */
class SlowJournal implements ChannelJournal {
  readonly channel = liveMessages.name;
  readonly waiting: Append[] = [];
  next = 40;

  isKept(record: unknown): boolean {
    return (record as LiveMessage).kept !== undefined;
  }

  append(record: unknown): Promise<number> {
    return new Promise((resolve, reject) =>
      this.waiting.push({
        id: (record as LiveMessage).id,
        store: () => resolve(this.next++),
        refuse: () => reject(new EngineUnavailable('message history')),
      }),
    );
  }

  storeNext(): void {
    this.waiting.shift()?.store();
  }
}

describe('the embedded message bus, with a journal', () => {
  let folder: TemporaryFolder;
  let journal: SlowJournal;
  let bus: MeasuredBus;
  let delivered: (readonly [id: string, offset: number])[];
  let logged: string[];

  const log = (message: string): void => void logged.push(message);
  const settled = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve));
  const send = (message: LiveMessage, acknowledgement: 'stored' | 'none' = 'stored'): Promise<number> =>
    bus.send(liveMessages, message, acknowledgement);

  beforeEach(async () => {
    folder = await temporaryFolder();
    journal = new SlowJournal();
    [delivered, logged] = [[], []];
    const logger = { debug: log, info: log, warn: log, error: log };
    bus = await openEmbeddedMessageBus({ file: (name) => join(folder.path, name) }, { journal, logger });
    await bus.read(liveMessages, { interest: 'all' }, ({ id }, offset) => void delivered.push([id, offset]));
  });
  afterEach(async () => {
    while (journal.waiting.length > 0) journal.storeNext();
    await bus.close();
    await folder.remove();
  });

  it('[WS-HIST-3] stores a kept message, then delivers it, and then says so', async () => {
    let stored: number | undefined;
    void send(keptMessage(1)).then((offset) => {
      expect(delivered).to.have.lengthOf(1);
      stored = offset;
    });
    await settled();
    expect([delivered, stored]).to.eql([[], undefined]);
    journal.storeNext();
    await eventually(() => stored !== undefined);
    expect([delivered, stored]).to.eql([[[idOf(1), 40]], 40]);
  });

  it('delivers it to readers that have come meanwhile', async () => {
    const sent = send(keptMessage(1));
    const late: number[] = [];
    await bus.read(liveMessages, { interest: 'all' }, (_, offset) => void late.push(offset));
    journal.storeNext();
    await sent;
    expect(late).to.eql([40]);
  });

  it('lets other messages of its room wait, and those of other rooms pass', async () => {
    const kept = send(keptMessage(1));
    const behind = send(otherMessage(2));
    const elsewhere = send(otherMessage(3, { room: 'elsewhere' }));
    expect(await elsewhere).to.equal(unknownOffset);
    expect(delivered).to.eql([[idOf(3), 0]]);
    journal.storeNext();
    expect([await kept, await behind]).to.eql([40, unknownOffset]);
    expect(delivered.map(([id]) => id)).to.eql([3, 1, 2].map(idOf));
    expect(await send(otherMessage(4))).to.equal(unknownOffset);
  });

  it('does not let a publish of QoS 0 wait for the disk', async () => {
    expect(await send(keptMessage(1), 'none')).to.equal(unknownOffset);
    expect(delivered).to.eql([]);
    journal.storeNext();
    await eventually(() => delivered.length === 1);
  });

  it('delivers nothing that could not be stored, and goes on with what is behind it', async () => {
    const refused = send(keptMessage(1));
    const lost = send(keptMessage(2), 'none');
    const behind = send(otherMessage(3));
    journal.waiting.shift()?.refuse();
    journal.waiting.shift()?.refuse();
    expect(await refused.catch(String)).to.equal('EngineUnavailable: The message history cannot be reached');
    expect([await lost, await behind]).to.eql([unknownOffset, unknownOffset]);
    expect(delivered).to.eql([[idOf(3), 0]]);
    expect(logged).to.eql(['Messages could not be kept and are lost']);
  });

  it('gives what a reader sends during a delivery its place behind it', async () => {
    await bus.read(liveMessages, { interest: 'all' }, ({ id }) => {
      if (id === idOf(1)) void send(otherMessage(2), 'none');
    });
    const sent = [send(keptMessage(1)), send(otherMessage(3))];
    journal.storeNext();
    await Promise.all(sent);
    await eventually(() => delivered.length === 3);
    expect(delivered.map(([id]) => id)).to.eql([1, 3, 2].map(idOf));
  });

  it('keeps the order of each room, and offsets rise, however long each write takes', async () => {
    const chance = seededChance(23);
    const rooms = new Map<string, string[]>(['a', 'b', 'c'].map((room) => [room, []]));
    const sent: Promise<number>[] = [];
    for (let n = 0; n < 300; n += 1) {
      const room = chance.oneOf([...rooms.keys()]);
      rooms.get(room)?.push(idOf(n));
      const message = (chance.next() < 0.5 ? keptMessage : otherMessage)(n);
      sent.push(send({ ...message, room }, chance.next() < 0.7 ? 'stored' : 'none'));
      if (chance.next() < 0.3) await settled();
      while (chance.next() < 0.4) journal.storeNext();
    }
    while (journal.waiting.length > 0) journal.storeNext();
    await Promise.all(sent);
    await eventually(() => delivered.length === 300);
    const offsets = delivered.map(([, offset]) => offset).filter((offset) => offset > 0);
    expect(offsets).to.eql(offsets.toSorted((one, other) => one - other));
    const ids = delivered.map(([id]) => id);
    for (const ofRoom of rooms.values()) expect(ids.filter((id) => ofRoom.includes(id))).to.eql(ofRoom);
  });

  it('says between which records of a key a reader is', async () => {
    const chance = seededChance(29);
    const passed: { readonly room: string; readonly offset: number }[] = [];
    const reader = await bus.read(liveMessages, { interest: 'subscribed' }, ({ kept, room }, offset) => {
      if (kept !== undefined) passed.push({ room, offset });
    });
    const rooms = ['a', 'b', 'c'];
    await Promise.all(rooms.map((room) => reader.subscribe(room)));
    const looks: { readonly room: string; readonly next: number; readonly passed: number }[] = [];
    const sent: Promise<number>[] = [];
    for (let n = 0; n < 300; n += 1) {
      sent.push(
        send({ ...(chance.next() < 0.6 ? keptMessage : otherMessage)(n), room: chance.oneOf(rooms) }),
      );
      if (chance.next() < 0.3) await settled();
      while (chance.next() < 0.4) journal.storeNext();
      const room = chance.oneOf(rooms);
      looks.push({ room, next: reader.next(room) ?? Number.NaN, passed: passed.length });
    }
    while (journal.waiting.length > 0) journal.storeNext();
    await Promise.all(sent);
    for (const look of looks)
      for (const [at, { room, offset }] of passed.entries())
        if (room === look.room) expect(offset < look.next).to.equal(at < look.passed);
  });

  it('waits for what is being stored when it is closed', async () => {
    const sent = send(keptMessage(1));
    const closed = bus.close();
    await settled();
    journal.storeNext();
    await closed;
    expect([await sent, delivered.length]).to.eql([40, 1]);
  });
});

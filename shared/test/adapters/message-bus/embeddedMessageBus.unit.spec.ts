import { copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import {
  openEmbeddedMessageBus,
  type EmbeddedMessageBusOptions,
} from '../../../src/adapters/message-bus/embeddedMessageBus.js';
import { systemClock } from '../../../src/adapters/system/systemClock.js';
import type { Clock } from '../../../src/ports/clock.js';
import type { Logger } from '../../../src/ports/logger.js';
import type { MeasuredBus } from '../../../src/ports/messageBus.js';
import { eventually } from '@roomwire/testing/run/eventually';
import {
  delayedJobs,
  gate,
  jobs,
  notes,
  type Note,
} from '@roomwire/testing/contracts/message-bus/busUnderTest';
import { messageBusContract } from '@roomwire/testing/contracts/message-bus/messageBusContract';
import { temporaryFolder, type TemporaryFolder } from '@roomwire/testing/run/temporaryFolder';

const openIn = ({ path }: TemporaryFolder, options?: EmbeddedMessageBusOptions): Promise<MeasuredBus> =>
  openEmbeddedMessageBus({ file: (name) => join(path, name) }, options);

messageBusContract('embedded', async () => {
  const folder = await temporaryFolder();
  const bus = await openIn(folder);
  const later: { bus: MeasuredBus; folder: TemporaryFolder }[] = [];
  return {
    bus,
    // A copy of the file as it is: what a kill would leave.
    reopen: async () => {
      const copy = await temporaryFolder();
      await copyFile(join(folder.path, 'queues.lmdb'), join(copy.path, 'queues.lmdb'));
      const reopened = await openIn(copy);
      later.push({ bus: reopened, folder: copy });
      return reopened;
    },
    dispose: async () => {
      for (const opened of [...later, { bus, folder }]) {
        await opened.bus.close();
        await opened.folder.remove();
      }
    },
  };
});

describe('the embedded message bus', () => {
  let folder: TemporaryFolder;
  let bus: MeasuredBus;
  let logged: string[];

  const log = (message: string): void => void logged.push(message);
  const logger: Logger = { debug: log, info: log, warn: log, error: log };

  beforeEach(async () => {
    folder = await temporaryFolder();
    logged = [];
    bus = await openIn(folder, { logger });
  });
  afterEach(async () => {
    await bus.close();
    await folder.remove();
  });

  describe('channels', () => {
    const received: Note[] = [];
    const read = (interest: 'all' | 'subscribed' = 'all') =>
      bus.read(notes, { interest }, (note) => received.push(note));
    const note = (key: string, value: unknown = 1): Note => ({ key, value });

    beforeEach(() => {
      received.length = 0;
    });

    it('delivers the record itself before send returns', async () => {
      await read();
      const sent = note('a');
      void bus.send(notes, sent, 'none');
      expect(received[0]).to.equal(sent);
    });

    it('creates no promise of its own for a send', () => {
      expect(bus.send(notes, note('a'), 'none')).to.equal(bus.send(notes, note('b'), 'stored'));
    });

    it('delivers subscribed keys only, until they are unsubscribed as often', async () => {
      const reader = await read('subscribed');
      await reader.subscribe('a');
      await reader.subscribe('a');
      for (const key of ['a', 'b']) await bus.send(notes, note(key), 'stored');
      expect(received).to.deep.equal([note('a')]);
      reader.unsubscribe('a');
      await bus.send(notes, note('a', 2), 'stored');
      reader.unsubscribe('a');
      reader.unsubscribe('a');
      await bus.send(notes, note('a', 3), 'stored');
      expect(received).to.deep.equal([note('a'), note('a', 2)]);
      await reader.subscribe('a');
      await bus.send(notes, note('a', 4), 'stored');
      expect(received).to.have.lengthOf(3);
    });

    it('reports a reader that throws, without effect on the sender and other readers', async () => {
      await bus.read(notes, { interest: 'all' }, () => {
        throw new TypeError('A broken reader');
      });
      await read();
      for (const value of [1, 2]) await bus.send(notes, note('a', value), 'stored');
      expect(received).to.deep.equal([note('a', 1), note('a', 2)]);
      expect(logged).to.deep.equal(['A reader failed', 'A reader failed']);
    });

    it('delivers nothing more to a reader that another one closes', async () => {
      await bus.read(notes, { interest: 'all' }, () => void reader.close());
      const reader = await read();
      await bus.send(notes, note('a'), 'stored');
      expect(received).to.deep.equal([]);
    });

    it('delivers nothing after it was closed', async () => {
      await read();
      await bus.close();
      await bus.send(notes, note('a'), 'none').catch(() => undefined);
      expect(received).to.deep.equal([]);
    });
  });

  describe('work queues', () => {
    it('distributes the jobs over the workers', async () => {
      const together = gate();
      const takers: string[] = [];
      for (const worker of ['first', 'second'])
        await bus.work(jobs, { concurrency: 1 }, async () => {
          takers.push(worker);
          if (takers.length === 2) together.open();
          await together.passed;
        });
      for (const key of ['a', 'b']) await bus.put(jobs, { key, value: 1 });
      await together.passed;
      expect(takers.sort()).to.deep.equal(['first', 'second']);
    });

    it('delays no key behind thousands of jobs of a blocked one', async () => {
      const blocked = gate();
      const done: unknown[] = [];
      await Promise.all(Array.from({ length: 5000 }, (_, value) => bus.put(jobs, { key: 'hot', value })));
      await bus.work(jobs, { concurrency: 2 }, async ({ key, value }) => {
        if (key === 'hot') await blocked.passed;
        else done.push(value);
      });
      for (const value of [1, 2, 3]) await bus.put(jobs, { key: 'other', value });
      await eventually(() => done.length === 3);
      expect(done).to.deep.equal([1, 2, 3]);
      blocked.open();
    });

    it('reports a failed job, also one that cannot be decoded', async () => {
      await bus.put(jobs, { key: 'a', value: 1 });
      const undecodable = { ...jobs.codec, decode: () => expect.fail('It cannot be decoded') };
      await bus.close();
      bus = await openIn(folder, { logger });
      await bus.work({ ...jobs, codec: undecodable }, { concurrency: 1 }, async () => {});
      await eventually(() => logged.includes('A job failed and is retried'));
    });

    it('waits for running jobs when it is closed, and is unavailable afterwards', async () => {
      const released = gate();
      let begun = false;
      let ended = false;
      await bus.work(jobs, { concurrency: 1 }, async () => {
        begun = true;
        await released.passed;
        ended = true;
      });
      await bus.put(jobs, { key: 'a', value: 1 });
      await eventually(() => begun);
      const closed = bus.close().then(() => ended);
      released.open();
      expect(await closed).to.equal(true);
      expect(bus.reachable).to.equal(false);
    });

    it('waits for running jobs of a worker that is closing, too', async () => {
      const released = gate();
      let begun = 0;
      let ended = 0;
      const worker = await bus.work(jobs, { concurrency: 1 }, async () => {
        begun += 1;
        await released.passed;
        ended += 1;
      });
      await bus.put(jobs, { key: 'a', value: 1 });
      await eventually(() => begun === 1);
      const workerClosed = worker.close();
      const closed = bus.close().then(() => ended);
      released.open();
      await workerClosed;
      expect(await closed).to.equal(1);
    });

    it('does not repeat a job that was done before it was closed', async () => {
      const done: unknown[] = [];
      const work = () => bus.work(jobs, { concurrency: 1 }, async ({ value }) => void done.push(value));
      await work();
      await bus.put(jobs, { key: 'a', value: 1 });
      await eventually(() => done.length === 1);
      await bus.close();
      bus = await openIn(folder, { logger });
      await work();
      await bus.put(jobs, { key: 'a', value: 'marker' });
      await eventually(() => done.includes('marker'));
      expect(done).to.deep.equal([1, 'marker']);
    });
  });

  describe('when the wall clock is set', () => {
    const hour = 3_600_000;
    let offset: number;
    const clock: Clock = { now: () => systemClock.now() + offset, monotonic: () => systemClock.monotonic() };

    /** How long a delayed job takes when the clock is set in between. */
    const timeOf = async (shift: number, between: () => Promise<void>): Promise<number> => {
      const from = systemClock.monotonic();
      let doneAt: number | undefined;
      await bus.put(delayedJobs, { key: 'a', value: 1 });
      offset = shift;
      await between();
      await bus.work(delayedJobs, { concurrency: 1 }, async () => {
        doneAt = systemClock.monotonic();
      });
      await eventually(() => doneAt !== undefined);
      return (doneAt as number) - from;
    };
    const restart = async (): Promise<void> => {
      await bus.close();
      bus = await openIn(folder, { clock });
    };

    beforeEach(async () => {
      offset = 0;
      await restart();
    });

    for (const [title, shift] of [
      ['back', -hour],
      ['forward', hour],
    ] as const)
      it(`${title}, a job still waits its delay`, async () => {
        const time = await timeOf(shift, async () => {});
        expect(time).to.be.at.least(delayedJobs.delayMs - 3);
      });

    it('back between two processes, a job waits at most its delay', async () => {
      expect(await timeOf(-hour, restart)).to.be.lessThan(delayedJobs.delayMs + 4000);
    });

    it('forward between two processes, a job is due', async () => {
      expect(await timeOf(hour, restart)).to.be.lessThan(delayedJobs.delayMs + 4000);
    });
  });
});

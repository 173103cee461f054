import { expect } from 'chai';
import { silentLogger } from '@roomwire/testing/fakes/loggers';
import { EngineUnavailable } from '@roomwire/shared/ports/errors';
import type { MessageBus } from '@roomwire/shared/ports/messageBus';
import type { JobNews } from '@roomwire/shared/wire/bus/jobNews';
import { eventually } from '@roomwire/testing/run/eventually';
import { JobLink } from '../../../src/jobs/link/jobLink.js';

/** A bus that takes subscriptions at the last of so many tries. */
const busAwayFor = (tries: number): Pick<MessageBus, 'read' | 'send'> => {
  let left = tries;
  return {
    send: async () => 0,
    read: async () => ({
      subscribe: async (key) => {
        if (key.startsWith('shard') && --left > 0) throw new EngineUnavailable('message bus');
      },
      unsubscribe: () => undefined,
      next: () => undefined,
      close: async () => undefined,
    }),
  };
};

/** A bus that keeps what is sent, but for answers, which are too large for it, and brings it to readers when it is told to. */
class HeldBus implements Pick<MessageBus, 'read' | 'send'> {
  readonly stored: JobNews[] = [];
  /** Of the next sends: whether they are stored, and whether that is answered. */
  outcomes: ('stored' | 'unanswered' | 'refused')[] = [];
  private readonly readers: ((news: JobNews) => void)[] = [];

  readonly send: MessageBus['send'] = async (_channel, record) => {
    const outcome = this.outcomes.shift() ?? 'stored';
    if ((record as JobNews).kind === 'answer') throw new RangeError('A record is too large');
    if (outcome !== 'refused') this.stored.push(record as JobNews);
    if (outcome !== 'stored') throw new EngineUnavailable('message bus');
    return 0;
  };

  readonly read: MessageBus['read'] = async (_channel, _options, onRecord) => {
    this.readers.push((news) => onRecord(news as never, 0));
    const reader = { subscribe: async () => undefined, unsubscribe: () => undefined };
    return { ...reader, next: () => undefined, close: async () => undefined };
  };

  bring(records: readonly JobNews[]): void {
    for (const news of records) for (const take of this.readers) take(news);
  }
}

describe('what processes say to one another about jobs', () => {
  const started = async (tries: number): Promise<JobLink> => {
    const link = new JobLink({ id: 'gateway', bus: busAwayFor(tries), logger: silentLogger });
    await link.start(() => undefined);
    return link;
  };

  it('is listened to as soon as the bus can be reached', async () => {
    const link = await started(3);
    expect(await link.subscribeWhile('shard-1', () => true)).to.equal(true);
    await link.close();
  });

  it('is not asked for any more where it is not wanted', async () => {
    const link = await started(1_000);
    let asked = 0;
    expect(await link.subscribeWhile('shard-1', () => ++asked < 3)).to.equal(false);
    expect(asked).to.equal(3);
    await link.close();
  });

  describe('comes once', () => {
    const settled = (seq: number, to = 'shard-1') =>
      ({ kind: 'settle', to, from: 'gateway', term: 1, groupId: 'g', seqs: [seq] }) as const;

    /** Two processes that send, and what a third one takes. */
    const linked = async () => {
      const bus = new HeldBus();
      const links = ['gateway', 'other', 'owner'].map((id) => new JobLink({ id, bus, logger: silentLogger }));
      const [sender, another, owner] = links as [JobLink, JobLink, JobLink];
      const taken: number[] = [];
      await owner.start((news) => news.kind === 'settle' && taken.push(...news.seqs));
      await owner.subscribe('shard-1');
      await owner.subscribe('shard-2');
      const haveStored = (count: number) =>
        eventually(async () => bus.stored.length === count, { what: `${count} records` });
      const close = () => Promise.all(links.map((link) => link.close()));
      return { bus, sender, another, taken, haveStored, close };
    };

    it('also if the bus stores it twice, at once or later', async () => {
      const { bus, sender, taken, haveStored, close } = await linked();
      for (const seq of [1, 2, 3]) sender.send(settled(seq));
      await haveStored(3);
      bus.bring(bus.stored.flatMap((news) => [news, news]));
      bus.bring(bus.stored);
      expect(taken).to.eql([1, 2, 3]);
      await close();
    });

    it('also if it is sent again because the answer of the bus was lost; nothing is lost that others have passed', async () => {
      const { bus, sender, taken, haveStored, close } = await linked();
      // What waits while the first is sent goes together.
      bus.outcomes = ['stored', 'refused', 'unanswered', 'stored'];
      for (const seq of [1, 2, 3, 4]) sender.send(settled(seq));
      await haveStored(6);
      bus.bring(bus.stored);
      expect(taken).to.eql([1, 3, 4, 2]);
      await close();
    });

    it('without what is too large for the bus, which holds up nothing else', async () => {
      const { bus, sender, taken, haveStored, close } = await linked();
      const to = 'shard-1';
      sender.send({ kind: 'answer', to, shard: 1, term: 1, ref: 1, isDone: true, values: new Uint8Array() });
      const seqs = Array.from({ length: 1_000 }, (_, n) => n);
      for (const seq of seqs) sender.send(settled(seq));
      await haveStored(1_000);
      bus.bring(bus.stored);
      expect(taken).to.eql(seqs);
      await close();
    });

    it('from each sender, at each address', async () => {
      const { bus, sender, another, taken, haveStored, close } = await linked();
      sender.send(settled(1));
      another.send(settled(2));
      sender.send(settled(3, 'shard-2'));
      await haveStored(3);
      bus.bring(bus.stored);
      expect(taken).to.have.members([1, 2, 3]);
      await close();
    });
  });
});

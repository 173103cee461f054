import { expect } from 'chai';
import { DamagedSnapshot, EngineUnavailable } from '@roomwire/shared/ports/errors';
import type { Clock } from '@roomwire/shared/ports/clock';
import type { SnapshotHead, SnapshotLimits, SnapshotStore } from '@roomwire/shared/ports/snapshotStore';
import { ManualClock } from '../fakes/manualClock.js';
import type { Reopenable } from './reopenable.js';

/** `limits` is asked at each opening. */
export type OpenSnapshots = (
  limits: () => SnapshotLimits,
  clock: Clock,
) => Promise<Reopenable<SnapshotStore>>;

const day = 86_400_000;

async function* inTurn(...parts: readonly string[]): AsyncGenerator<string> {
  yield* parts;
}

const head = (revision: number): SnapshotHead => ({ version: 1, revision, event: `event-${revision}` });

/** What every store of snapshots promises. */
export const snapshotStoreContract = (name: string, open: OpenSnapshots): void => {
  describe(`the snapshot store on ${name}`, () => {
    let limits: SnapshotLimits;
    let clock: ManualClock;
    let underTest: Reopenable<SnapshotStore>;
    let store: SnapshotStore;

    beforeEach(async () => {
      limits = { retentionMs: 30 * day, snapshots: 10, bytes: 100_000 };
      clock = new ManualClock();
      underTest = await open(() => limits, clock);
      ({ store } = underTest);
    });

    afterEach(() => underTest.dispose());

    /** The revision and the parts of what is kept. */
    const kept = async (stream: string): Promise<readonly [number, ...string[]] | undefined> => {
      const found = await store.find(stream);
      if (found === undefined) return undefined;
      const parts: string[] = [];
      for await (const part of found.parts) parts.push(part);
      return [found.revision, ...parts];
    };

    const keptOf = async (streams: readonly string[]): Promise<string[]> => {
      const found: string[] = [];
      for (const stream of streams) if (await kept(stream)) found.push(stream);
      return found;
    };

    /** One after the other, a second apart. */
    const writeInTurn = async (streams: readonly string[], part = 'x'): Promise<void> => {
      for (const stream of streams) {
        clock.pass(1_000);
        await store.write(stream, head(0), inTurn(part));
      }
    };

    /** A write that has begun, and waits for `finish` before its second part. */
    const writing = async (stream: string, revision: number) => {
      let finish = (): void => undefined;
      const finished = new Promise<void>((resolve) => (finish = resolve));
      let begun = (): void => undefined;
      const hasBegun = new Promise<void>((resolve) => (begun = resolve));
      async function* parts(): AsyncGenerator<string> {
        yield `first of ${revision}`;
        begun();
        await finished;
        yield `second of ${revision}`;
      }
      const written = store.write(stream, head(revision), parts());
      await hasBegun;
      return {
        finish: async () => {
          finish();
          await written;
        },
      };
    };

    it('returns what was written, in its order, and nothing of other streams', async () => {
      const parts = Array.from({ length: 30 }, (_, index) => `${index} ü\u{1f600}"\\ ${'x'.repeat(500)}`);
      await store.write('rooms-1', { version: 7, revision: 41, event: 'an id' }, inTurn(...parts));
      await store.write('rooms-10', head(3), inTurn('[]'));
      await store.write('rooms-2', head(4), inTurn());
      const { version, revision, event } = (await store.find('rooms-1')) ?? {};
      expect({ version, revision, event }).to.eql({ version: 7, revision: 41, event: 'an id' });
      expect(await kept('rooms-1')).to.eql([41, ...parts]);
      expect(await kept('rooms-10')).to.eql([3, '[]']);
      expect(await kept('rooms-2')).to.eql([4]);
      expect(await kept('rooms-3')).to.equal(undefined);
      store = await underTest.reopen();
      expect(await kept('rooms-1')).to.eql([41, ...parts]);
    });

    it('keeps a part of a megabyte', async () => {
      limits = { ...limits, bytes: 10_000_000 };
      store = await underTest.reopen();
      const part = 'ü'.repeat(2 ** 20);
      await store.write('rooms-1', head(1), inTurn('[]', part));
      expect(await kept('rooms-1')).to.eql([1, '[]', part]);
    });

    it('keeps the one before until the next is complete', async () => {
      await store.write('rooms-1', head(1), inTurn('before'));
      clock.pass(1);
      const next = await writing('rooms-1', 2);
      expect(await kept('rooms-1')).to.eql([1, 'before']);
      await next.finish();
      expect(await kept('rooms-1')).to.eql([2, 'first of 2', 'second of 2']);
    });

    it('keeps the one before where the next fails', async () => {
      await store.write('rooms-1', head(1), inTurn('before'));
      clock.pass(1);
      async function* failing(): AsyncGenerator<string> {
        yield 'first';
        throw new Error('no more');
      }
      const failed = await store.write('rooms-1', head(2), failing()).catch((error: unknown) => error);
      expect((failed as Error).message).to.equal('no more');
      expect(await kept('rooms-1')).to.eql([1, 'before']);
    });

    it('keeps of two that are written at the same time the one that began later, whichever is complete first', async () => {
      for (const order of ['in order', 'reversed']) {
        clock.pass(1_000);
        const first = await writing(order, 1);
        clock.pass(1_000);
        const second = await writing(order, 2);
        const ends = [first, second];
        if (order === 'reversed') ends.reverse();
        for (const { finish } of ends) {
          await finish();
          expect(await kept(order), order).to.not.equal(undefined);
        }
        expect(await kept(order), order).to.eql([2, 'first of 2', 'second of 2']);
      }
    });

    it('does not take what was replaced meanwhile for whole', async () => {
      await store.write('rooms-1', head(1), inTurn(...Array.from({ length: 40 }, (_, index) => `${index}`)));
      const found = await store.find('rooms-1');
      const parts: string[] = [];
      clock.pass(1);
      const reading = async (): Promise<void> => {
        for await (const part of found?.parts ?? inTurn()) {
          parts.push(part);
          if (parts.length === 1) await store.write('rooms-1', head(2), inTurn('next'));
        }
      };
      const error = await reading().catch((failure: unknown) => failure);
      expect(error).to.be.instanceOf(DamagedSnapshot);
      expect(parts.length).to.be.below(40);
      expect(await kept('rooms-1')).to.eql([2, 'next']);
    });

    it('removes those of streams', async () => {
      await writeInTurn(['rooms-1', 'rooms-2', 'rooms-3']);
      await store.remove(['rooms-1', 'rooms-3', 'rooms-4']);
      await store.remove([]);
      expect(await keptOf(['rooms-1', 'rooms-2', 'rooms-3'])).to.eql(['rooms-2']);
    });

    it('keeps so many, so many bytes together, and for so long', async () => {
      const streams = Array.from({ length: 12 }, (_, index) => `rooms-${index}`);
      await writeInTurn(streams);
      expect(await keptOf(streams)).to.eql(streams.slice(2));
      await writeInTurn(['rooms-5', 'rooms-x']);
      expect(await keptOf([...streams, 'rooms-x'])).to.eql([
        ...['rooms-3', 'rooms-4', 'rooms-5', 'rooms-6', 'rooms-7', 'rooms-8', 'rooms-9'],
        ...['rooms-10', 'rooms-11', 'rooms-x'],
      ]);
      await writeInTurn(['large-1', 'large-2', 'large-3'], 'x'.repeat(40_000));
      expect(await keptOf([...streams, 'large-1', 'large-2', 'large-3'])).to.eql(['large-2', 'large-3']);
      clock.pass(29 * day);
      await writeInTurn(['rooms-1']);
      clock.pass(2 * day);
      expect(await keptOf(['large-2', 'large-3', 'rooms-1'])).to.eql(['rooms-1']);
    });

    it('is unavailable when it is closed', async () => {
      await store.close();
      const failures = await Promise.all(
        [store.find('rooms-1'), store.write('rooms-1', head(1), inTurn('x')), store.remove(['rooms-1'])].map(
          (asked) => asked.catch((error: unknown) => error),
        ),
      );
      for (const failure of failures) expect(failure).to.be.instanceOf(EngineUnavailable);
      store = await underTest.reopen();
    });
  });
};

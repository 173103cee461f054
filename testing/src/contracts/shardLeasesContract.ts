import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { LeasedShards } from '@roomwire/shared/adapters/shard-leases/leasedShards';
import type { LeaseTable } from '@roomwire/shared/adapters/shard-leases/leaseTable';
import { EngineUnavailable } from '@roomwire/shared/ports/errors';
import { systemClock } from '@roomwire/shared/adapters/system/systemClock';
import { silentLogger } from '../fakes/loggers.js';
import { eventually } from '../run/eventually.js';

const shardCount = 16;
/** As in production, but faster: owners give up before others take over. */
const times = { renewMs: 40, safeMs: 600, silenceMs: 1_200, partingMs: 1_000 };

/** The way of a process to its table, which a test cuts or halts. */
class Way {
  /** `cut`: calls fail. `halted`: the process stands still, so its calls neither leave nor return. */
  state: 'open' | 'cut' | 'halted' = 'open';
  reads = 0;
  private readonly table: LeaseTable;

  constructor(table: LeaseTable) {
    this.table = table;
  }

  get port(): LeaseTable {
    const pass = async <T>(call: () => Promise<T>): Promise<T> => {
      if (this.state === 'cut') throw new EngineUnavailable('shard leases');
      if (this.state === 'halted') await eventually(() => this.state !== 'halted', { withinMs: 60_000 });
      return call();
    };
    const { table } = this;
    return {
      renew: (member) => pass(() => table.renew(member)),
      read: async (works) => {
        const reading = await pass(() => table.read(works));
        this.reads += 1;
        return reading;
      },
      swap: (work, revision, leases) => pass(() => table.swap(work, revision, leases)),
      forget: (members) => pass(() => table.forget(members)),
      close: () => table.close(),
    };
  }
}

/** A process that owns shards of a work, and what it was told. */
class Process {
  readonly held = new Map<number, number>();
  readonly way: Way;
  readonly leases: LeasedShards;
  readonly told: { readonly kind: 'gained' | 'lost'; readonly shard: number; readonly term: number }[] = [];
  private haltedAt: number | undefined;
  onLost: () => Promise<void> = async () => undefined;

  constructor(table: LeaseTable, work: string) {
    this.way = new Way(table);
    this.leases = new LeasedShards({
      ...{ table: this.way.port, random: { uuid: randomUUID }, logger: silentLogger, times },
      clock: { now: () => systemClock.now(), monotonic: () => this.monotonic() },
    });
    this.leases.own(work, shardCount, {
      gained: (shard, term) => {
        this.held.set(shard, term);
        this.told.push({ kind: 'gained', shard, term });
      },
      lost: (shard) => {
        this.told.push({ kind: 'lost', shard, term: this.held.get(shard) as number });
        this.held.delete(shard);
        return this.onLost();
      },
    });
  }

  /** It notices nothing until it goes on: neither that time passes, nor what others do. */
  halt(): void {
    this.haltedAt = systemClock.monotonic();
    this.way.state = 'halted';
  }

  goOn(): void {
    this.haltedAt = undefined;
    this.way.state = 'open';
  }

  private monotonic(): number {
    return this.haltedAt ?? systemClock.monotonic();
  }
}

/** What dividing shards promises on every table of leases. `open` is called for each process. */
export const shardLeasesContract = (
  name: string,
  prepare: () => Promise<{ open(): Promise<LeaseTable>; dispose(): Promise<void> }>,
): void => {
  describe(`shards that are leased on ${name}`, () => {
    const work = 'sweeping';
    let underTest: Awaited<ReturnType<typeof prepare>>;
    let processes: Process[];

    beforeEach(async () => {
      underTest = await prepare();
      processes = [];
    });

    afterEach(async () => {
      for (const process of processes) {
        process.goOn();
        await process.leases.close();
      }
      await underTest.dispose();
    });

    const start = async (): Promise<Process> => {
      const process = new Process(await underTest.open(), work);
      processes.push(process);
      return process;
    };
    const owning = async (process: Process, most = shardCount, least = most): Promise<void> =>
      eventually(() => process.held.size >= least && process.held.size <= most, {
        ...{ withinMs: 15_000, what: `${least} to ${most} shards, not ${process.held.size}` },
      });
    const termsOf = (process: Process): readonly number[] => [...process.held.values()];

    it('gives all of them to the only process', async () => {
      const only = await start();
      await owning(only);
      expect(only.leases.owned()).to.deep.equal(new Map([[work, shardCount]]));
    });

    it('divides them fairly, and nobody owns what another one does', async () => {
      const all = [await start(), await start(), await start()];
      for (const process of all) await owning(process, 6, 5);
      const shards = all.flatMap(({ held }) => [...held.keys()]);
      expect(shards.toSorted((a, b) => a - b)).to.deep.equal([...Array(shardCount).keys()]);
    });

    it('waits until an owner has ended its work on what it gives up', async () => {
      const first = await start();
      await owning(first);
      let release: () => void = () => undefined;
      const ended = new Promise<void>((resolve) => (release = resolve));
      first.onLost = () => ended;
      const second = await start();
      await eventually(() => first.held.size === shardCount / 2, { withinMs: 10_000 });
      const { reads } = second.way;
      await eventually(() => second.way.reads > reads + 3);
      expect(second.held.size).to.equal(0);
      release();
      await owning(second, shardCount / 2);
    });

    it('hands over at once when a process ends cleanly, with a greater term', async () => {
      const first = await start();
      await owning(first);
      const before = Math.max(...termsOf(first));
      const second = await start();
      await first.leases.close();
      const { reads } = second.way;
      await owning(second);
      expect(second.way.reads - reads).to.be.below(times.silenceMs / times.renewMs / 2);
      expect(Math.min(...termsOf(second))).to.be.above(before - 1);
      expect(first.held.size).to.equal(0);
    });

    it('takes over from a process that was killed', async () => {
      const killed = await start();
      await owning(killed);
      const terms = new Map(killed.held);
      killed.halt();
      const other = await start();
      await owning(other);
      for (const [shard, term] of other.held) expect(term).to.be.above(terms.get(shard) as number);
    });

    it('leaves nothing to an owner that cannot renew, before anybody takes it', async () => {
      const cut = await start();
      await owning(cut);
      const other = await start();
      await owning(other, shardCount / 2);
      await owning(cut, shardCount / 2);
      cut.way.state = 'cut';
      await eventually(() => other.held.size > shardCount / 2 || cut.held.size === 0);
      expect(cut.held.size).to.equal(0);
      await owning(other);
      cut.way.state = 'open';
      await owning(cut, shardCount / 2);
      await owning(other, shardCount / 2);
    });

    it('tells a process that was halted, and its terms are older than those of who took over', async () => {
      const halted = await start();
      await owning(halted);
      const terms = new Map(halted.held);
      halted.halt();
      const other = await start();
      await owning(other);
      const taken = new Map(other.held);
      halted.goOn();
      await eventually(() => halted.told.filter(({ kind }) => kind === 'lost').length >= shardCount);
      for (const [shard, term] of taken) expect(term).to.be.above(terms.get(shard) as number);
      await owning(halted, shardCount / 2);
      for (const [shard, term] of halted.held) expect(term).to.be.above(taken.get(shard) as number);
    });

    it('gives them back to the same process when the engine has been away for long', async () => {
      const only = await start();
      await owning(only);
      const before = Math.max(...termsOf(only));
      only.way.state = 'cut';
      await owning(only, 0);
      only.way.state = 'open';
      const { reads } = only.way;
      await owning(only);
      expect(only.way.reads - reads).to.be.below(times.silenceMs / times.renewMs / 2);
      expect(Math.min(...termsOf(only))).to.be.above(before);
    });

    it('goes on with greater terms when the leases are lost', async () => {
      const first = await start();
      await owning(first);
      const before = Math.max(...termsOf(first));
      await first.leases.close();
      await underTest.dispose();
      underTest = await prepare();
      const second = await start();
      await owning(second);
      expect(Math.min(...termsOf(second))).to.be.at.least(before);
    });

    it('divides two works apart from one another', async () => {
      const first = await start();
      const held = new Set<number>();
      const owned = first.leases.own('mopping', 4, {
        gained: (shard) => void held.add(shard),
        lost: (shard) => void held.delete(shard),
      });
      await eventually(() => held.size === 4);
      await owning(first);
      await owned.close();
      expect([held.size, first.held.size]).to.deep.equal([0, shardCount]);
    });
  });
};

import { expect } from 'chai';
import { eventually } from '@roomwire/testing/run/eventually';
import { Collector, type CollectorLimits } from '../src/collect/collector.js';
import type { Fact } from '../src/facts/factStream.js';
import type { Segment } from '../src/store/factFiles.js';
import { createRecordingLogger } from '@roomwire/testing/fakes/loggers';

const never = 3_600_000;

/** A collector on a disk that does what the test says. */
const collectorUnderTest = (given: Partial<CollectorLimits> = {}) => {
  const written: Segment[] = [];
  const told: (readonly [number, number])[][] = [];
  const source: string[] = [];
  let disk: (segment: Segment) => Promise<void> = async () => undefined;
  let listed: () => Promise<void> = async () => undefined;
  const collector = new Collector({
    write: async (segment) => {
      await disk(segment);
      written.push(segment);
    },
    wrote: () => listed(),
    source: {
      pause: () => void source.push('pause'),
      resume: () => void source.push('resume'),
      written: (places) => void told.push([...places]),
    },
    limits: { facts: 10, bytes: 1_000_000, waitMs: never, ...given },
    logger: createRecordingLogger().logger,
  });
  const add = (partition: number, first: number, next: number, offsets: readonly number[]) =>
    collector.add({ partition, first, next, offsets, facts: offsets.map((n): Fact => [n]) });
  return {
    ...{ collector, add, written, told, source },
    setDisk: (to: typeof disk) => (disk = to),
    setListed: (to: typeof listed) => (listed = to),
  };
};

const spans = (segments: readonly Segment[]) =>
  segments.map(({ partition, first, last, offsets }) => [partition, first, last, offsets.length]);

describe('A collector', () => {
  it('writes the records of each partition as one file', async () => {
    const { collector, add, written, told } = collectorUnderTest();
    add(0, 5, 8, [5, 7]);
    add(1, 0, 2, [1]);
    add(0, 8, 9, [8]);
    await collector.flush();
    expect(spans(written)).to.eql([
      [0, 5, 8, 3],
      [1, 0, 1, 1],
    ]);
    expect(written[0]?.facts).to.eql([[5], [7], [8]]);
    expect(told).to.eql([
      [
        [0, 9],
        [1, 2],
      ],
    ]);
  });

  it('reports the state of the writes', async () => {
    const { collector, add, setDisk } = collectorUnderTest();
    expect(collector.state).to.eql({ written: 0, waiting: 0, failures: 0, isFailing: false });
    let failures = 1;
    let hasFailed = false;
    let mend: () => void = () => undefined;
    setDisk(async () => {
      if (failures-- > 0) throw new Error('The disk is full');
      hasFailed = true;
      await new Promise<void>((resolve) => (mend = resolve));
    });
    add(0, 0, 2, [0, 1]);
    const flushed = collector.flush();
    await eventually(() => hasFailed);
    expect(collector.state).to.eql({ written: 0, waiting: 2, failures: 1, isFailing: true });
    mend();
    await flushed;
    expect(collector.state).to.eql({ written: 2, waiting: 0, failures: 1, isFailing: false });
  });

  it('writes no file without a fact: the next one covers its offsets', async () => {
    const { collector, add, written } = collectorUnderTest();
    add(0, 0, 50, []);
    await collector.flush();
    expect(written).to.eql([]);
    add(0, 50, 51, [50]);
    await collector.flush();
    expect(spans(written)).to.eql([[0, 0, 50, 1]]);
  });

  it('starts another file after a gap, so that the gap is visible', async () => {
    const { collector, add, written } = collectorUnderTest();
    add(0, 0, 2, [0, 1]);
    add(0, 7, 8, [7]);
    await collector.flush();
    expect(spans(written)).to.eql([
      [0, 0, 1, 2],
      [0, 7, 7, 1],
    ]);
  });

  it('writes at once when there is much, and after a delay when there is little', async () => {
    const many = collectorUnderTest();
    many.add(0, 0, 10, [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
    await eventually(() => many.written.length === 1);
    const few = collectorUnderTest({ waitMs: 5 });
    few.add(0, 0, 1, [0]);
    await eventually(() => few.written.length === 1);
    await Promise.all([many.collector.close(), few.collector.close()]);
  });

  it('writes what arrived during a write, even if nothing arrives any more', async () => {
    const { add, written, setDisk } = collectorUnderTest({ waitMs: 5 });
    let release = (): void => undefined;
    setDisk(() => new Promise((resolve) => (release = resolve)));
    add(0, 0, 10, [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
    add(0, 10, 11, [10]);
    setDisk(async () => undefined);
    release();
    await eventually(() => written.length === 2);
  });

  it('pauses its source while the disk is too slow, and resumes it', async () => {
    const { collector, add, source, setDisk } = collectorUnderTest();
    let release = (): void => undefined;
    setDisk(() => new Promise((resolve) => (release = resolve)));
    const ten = (first: number): number[] => Array.from({ length: 10 }, (_, n) => first + n);
    add(0, 0, 10, ten(0));
    expect(source).to.eql([]);
    add(0, 10, 20, ten(10));
    expect(source).to.eql(['pause']);
    setDisk(async () => undefined);
    release();
    await collector.flush();
    expect(source).to.eql(['pause', 'resume']);
  });

  it('resumes its source when all that held it up is lost', async () => {
    const { collector, add, written, source, setListed } = collectorUnderTest();
    let release = (): void => undefined;
    setListed(() => new Promise((resolve) => (release = resolve)));
    const ten = (first: number): number[] => Array.from({ length: 10 }, (_, n) => first + n);
    add(0, 0, 10, ten(0));
    await eventually(() => written.length === 1);
    add(0, 10, 20, ten(10));
    add(0, 20, 30, ten(20));
    expect(source).to.eql(['pause']);
    collector.lose(0);
    release();
    await collector.flush();
    expect(source).to.eql(['pause', 'resume']);
  });

  it('counts the bytes of payloads', () => {
    const { collector, source } = collectorUnderTest({ facts: 1_000, bytes: 5_000 });
    collector.add({ partition: 0, first: 0, next: 1, offsets: [0], facts: [['x'.repeat(10_000)]] });
    expect(source).to.eql(['pause']);
    return collector.close();
  });

  it('waits for a disk that refuses, and loses nothing', async function () {
    this.timeout(20_000);
    const { collector, add, written, setDisk } = collectorUnderTest();
    let refusals = 0;
    setDisk(async () => {
      refusals += 1;
      if (refusals < 3) throw new Error('ENOSPC');
    });
    add(0, 0, 1, [0]);
    await collector.flush();
    expect([refusals, spans(written)]).to.eql([3, [[0, 0, 0, 1]]]);
  });

  it('discards records of partitions that another process owns, also those waiting for the disk', async () => {
    const { collector, add, written, setDisk } = collectorUnderTest();
    let fail = (_error: Error): void => undefined;
    setDisk(() => new Promise((_, reject) => (fail = reject)));
    add(0, 0, 2, [0, 1]);
    add(1, 0, 1, [0]);
    const flushed = collector.flush();
    add(0, 2, 3, [2]);
    collector.lose(0);
    setDisk(async () => undefined);
    fail(new Error('ENOSPC'));
    await flushed;
    expect(spans(written)).to.eql([[1, 0, 0, 1]]);
    add(0, 0, 2, [0, 1]);
    await collector.flush();
    expect(spans(written).at(-1), 'read again from where the files end').to.eql([0, 0, 1, 2]);
  });

  it('leaves no gap when it is closed while the disk refuses', async () => {
    const { collector, add, written, setDisk } = collectorUnderTest();
    setDisk(async ({ first }) => {
      if (first === 0) throw new Error('ENOSPC');
    });
    add(0, 0, 2, [0, 1]);
    const flushed = collector.flush();
    add(0, 2, 30, [2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13]);
    await collector.close();
    await flushed;
    expect(written).to.eql([]);
  });
});

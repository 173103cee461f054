import { expect } from 'chai';
import { EngineUnavailable } from '../../src/ports/errors.js';
import type { LastUse } from '../../src/ports/usageStore.js';
import { LastUses } from '../../src/runtime/lastUses.js';
import { eventually } from '@roomwire/testing/run/eventually';

const start = Date.UTC(2026, 0, 1);
const isoAfter = (ms: number): string => new Date(start + ms).toISOString();

describe('LastUses', () => {
  let elapsed: number;
  let written: (readonly LastUse[])[];
  let failure: Error | undefined;
  let warnings: string[];

  beforeEach(() => {
    elapsed = 0;
    written = [];
    failure = undefined;
    warnings = [];
  });

  const open = (writeAfterMs: number): LastUses => {
    const quiet = () => undefined;
    return new LastUses({
      usage: {
        noteUses: async (uses) => {
          written.push(uses);
          if (failure !== undefined) throw failure;
        },
      },
      clock: { now: () => start + elapsed, monotonic: () => elapsed },
      logger: { debug: quiet, info: quiet, error: quiet, warn: (message) => void warnings.push(message) },
      writeAfterMs,
    });
  };

  it('writes all uses of an interval together', async () => {
    const uses = open(1);
    uses.used('a');
    elapsed = 5;
    uses.used('b');
    await eventually(() => written.length > 0);
    expect(written).to.deep.equal([
      [
        { id: 'a', at: isoAfter(0) },
        { id: 'b', at: isoAfter(5) },
      ],
    ]);
    await uses.close();
    expect(written).to.have.length(1);
  });

  it('writes a record at most once a minute', async () => {
    const uses = open(60_000);
    for (elapsed = 0; elapsed < 60_000; elapsed += 1_000) uses.used('a');
    uses.used('b');
    await uses.close();
    expect(written).to.deep.equal([
      [
        { id: 'a', at: isoAfter(0) },
        { id: 'b', at: isoAfter(60_000) },
      ],
    ]);
  });

  it('writes it again after the minute, however often it was used within it', async () => {
    const uses = open(60_000);
    for (const at of [0, 30_000, 59_999, 60_000]) {
      elapsed = at;
      uses.used('a');
    }
    await uses.close();
    expect(written).to.deep.equal([[{ id: 'a', at: isoAfter(60_000) }]]);
  });

  it('retries what could not be written, with later uses', async () => {
    failure = new EngineUnavailable('read models');
    const uses = open(1);
    uses.used('a');
    await eventually(() => written.length > 1);
    elapsed = 61_000;
    uses.used('b');
    uses.used('a');
    failure = undefined;
    const after = written.length;
    await eventually(() => written.length > after);
    await uses.close();
    expect(written.at(-1)).to.have.deep.members([
      { id: 'a', at: isoAfter(61_000) },
      { id: 'b', at: isoAfter(61_000) },
    ]);
    expect(warnings).to.deep.equal([]);
  });

  it('logs an error other than an unavailable engine', async () => {
    failure = new Error('broken');
    const uses = open(1);
    uses.used('a');
    await eventually(() => warnings.length > 0);
    await uses.close();
  });

  it('keeps a limited number, the latest', async () => {
    const uses = open(60_000);
    for (let n = 0; n < 60_000; n += 1) uses.used(`id-${n}`);
    await uses.close();
    expect(written[0]).to.have.length(50_000);
    expect(written[0]?.[0]?.id).to.equal('id-10000');
  });

  it('accepts nothing after it is closed', async () => {
    const uses = open(1);
    uses.used('a');
    await Promise.all([uses.close(), uses.close()]);
    uses.used('b');
    await uses.close();
    expect(written).to.have.length(1);
  });
});

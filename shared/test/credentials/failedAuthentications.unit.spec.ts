import { expect } from 'chai';
import { ManualClock } from '@roomwire/testing/fakes/manualClock';
import { FailedAuthentications } from '../../src/credentials/failedAuthentications.js';
import { limitTable } from '../../src/wire/limits/limitTable.js';

describe('failed authentications', () => {
  const address = '192.0.2.1';
  let clock: ManualClock;
  let reached: string[];

  const failures = (longestDelayMs: number): FailedAuthentications =>
    new FailedAuthentications({
      clock,
      limits: { reached: (limit) => void reached.push(limit) },
      longestDelayMs,
    });

  /** Whether the answer is delayed; nothing is waited for. */
  const isDelayed = (of: FailedAuthentications, from = address, keyId?: string): boolean => {
    let isLate = false;
    void of.failed({ address: from, keyId }, () => (isLate = true));
    return isLate;
  };

  beforeEach(() => {
    clock = new ManualClock();
    reached = [];
  });

  it('are answered late from the sixth of an address on, an IPv6 network counted as one', () => {
    for (const from of [() => address, (n: number) => `2001:db8::${n}`]) {
      const counted = failures(3_600_000);
      const late = Array.from({ length: 7 }, (_, n) => isDelayed(counted, from(n)));
      expect(late).to.deep.equal([false, false, false, false, false, true, true]);
    }
    expect(isDelayed(failures(3_600_000))).to.equal(false);
    expect(reached).to.deep.equal(Array(4).fill('failedAuthsPerAddress'));
  });

  it('are counted by the id of the credential, from whatever addresses', () => {
    const counted = failures(3_600_000);
    const late = Array.from({ length: 6 }, (_, n) => isDelayed(counted, `192.0.2.${n}`, 'at_live_1'));
    expect(late).to.deep.equal([false, false, false, false, false, true]);
    expect(isDelayed(counted, '192.0.2.99', 'at_live_2')).to.equal(false);
    expect(reached).to.deep.equal(['failedAuthsPerCredential']);
  });

  it('are forgotten five minutes after the last one', () => {
    const counted = failures(3_600_000);
    for (let n = 0; n < 9; n++) isDelayed(counted);
    clock.pass(299_999);
    expect(isDelayed(counted)).to.equal(true);
    clock.pass(300_000);
    expect(isDelayed(counted)).to.equal(false);
  });

  it('are forgotten earlier where there are too many to count, those longest ago first', () => {
    const counted = failures(3_600_000);
    for (let n = 0; n < 5; n++) isDelayed(counted);
    for (let n = 1; n < limitTable.countedFailures.value; n++) isDelayed(counted, `host-${n}`);
    expect(reached).to.deep.equal([]);
    isDelayed(counted, 'one-more');
    expect(reached).to.deep.equal(['countedFailures']);
    expect(isDelayed(counted)).to.equal(false);
  });

  it('are answered at once where too many wait already', async () => {
    const counted = failures(3_600_000);
    for (let n = 0; n < 18; n++) isDelayed(counted);
    for (let n = 0; n < limitTable.delayedAnswers.value; n++) isDelayed(counted);
    reached = [];
    await counted.failed({ address, keyId: undefined });
    expect(reached.at(-1)).to.equal('delayedAnswers');
  });

  it('are never later than the longest delay, and are not late where it is 0', async () => {
    const counted = failures(1);
    for (let n = 0; n < 40; n++) await counted.failed({ address, keyId: undefined });
    expect(reached.filter((limit) => limit === 'failedAuthDelayMs')).to.have.length(35);
    const off = failures(0);
    reached = [];
    expect(Array.from({ length: 20 }, () => isDelayed(off))).not.to.include(true);
    // They are counted all the same.
    expect(reached).to.deep.equal(Array(15).fill('failedAuthsPerAddress'));
  });
});

import { expect } from 'chai';
import fc from 'fast-check';
import { nextStep, type AttemptOutcome } from '../../src/policy/nextStep.js';

const answered = (status: number, retryAfterMs?: number): AttemptOutcome => ({
  ...{ kind: 'answered', status, retryAfterMs },
});
const unreachable: AttemptOutcome = { kind: 'unreachable' };
const hour = 3_600_000;

describe('what follows an attempt to call a webhook', () => {
  it('[HOOK-RETRY-1] is the end after any 2xx', () => {
    for (const status of [200, 201, 202, 204, 299])
      expect(nextStep(answered(status), { attempt: 1 })).to.eql({ to: 'done' });
  });

  it('[HOOK-RETRY-3] is a wait of 1 s before the second attempt and 2 s before the third, after a 5xx or no answer', () => {
    for (const outcome of [answered(500), answered(503), answered(599), unreachable])
      for (const patience of [undefined, { usedMs: 0, allMs: 60_000 }]) {
        const second = nextStep(outcome, { attempt: 1, patience });
        expect(second).to.eql({ to: 'retry', afterMs: 1_000, isUsual: true });
        const third = nextStep(outcome, { attempt: 2, patience });
        expect(third).to.eql({ to: 'retry', afterMs: 2_000, isUsual: true });
      }
  });

  it('[HOOK-RETRY-2] is a dead letter after the third attempt that could still succeed later', () => {
    for (const outcome of [answered(500), unreachable])
      expect(nextStep(outcome, { attempt: 3 })).to.eql({ to: 'deadLetter', status: 'pending' });
  });

  it('[HOOK-RETRY-4] is never a repetition of what the endpoint refused, redirects included', () => {
    for (const status of [300, 301, 302, 307, 400, 401, 404, 410, 429, 499])
      for (const patience of [undefined, { usedMs: 0, allMs: hour }])
        expect(nextStep(answered(status), { attempt: 1, patience })).to.eql({
          ...{ to: 'deadLetter', status: 'failed' },
        });
  });

  it('is never a call of an address that is forbidden', () => {
    const patience = { usedMs: 0, allMs: hour };
    expect(nextStep({ kind: 'forbidden' }, { attempt: 1, patience })).to.eql({
      ...{ to: 'deadLetter', status: 'failed' },
    });
  });

  describe('of a call that is tried on', () => {
    const allMs = 72 * hour;
    const waitAfter = (attempt: number, usedMs = 0, outcome = answered(500), most = allMs) => {
      const step = nextStep(outcome, { attempt, patience: { usedMs, allMs: most } });
      return step.to === 'retry' ? step.afterMs : step;
    };

    it('[HOOK-RETRY-5] is a wait of 4 s after the third attempt, doubled each time, of an hour at most', () => {
      const waits = [3, 4, 5, 6, 12, 13, 14, 40].map((attempt) => waitAfter(attempt));
      expect(waits).to.eql([4_000, 8_000, 16_000, 32_000, 2_048_000, hour, hour, hour]);
    });

    it('[HOOK-RETRY-5] is a last attempt at the end of its time, and a dead letter after that', () => {
      expect(waitAfter(8, allMs - 5_000)).to.equal(5_000);
      for (const late of [allMs, allMs + 9])
        expect(waitAfter(8, late)).to.eql({ to: 'deadLetter', status: 'pending' });
      // The three attempts are made in any case.
      expect(waitAfter(2, 60_000, unreachable, 1_000)).to.equal(2_000);
    });

    it('[HOOK-RETRY-6] is as long a wait as a 429 or a 503 asks for, at most to the end', () => {
      for (const status of [429, 503]) {
        expect(waitAfter(1, 0, answered(status, 90_000))).to.equal(90_000);
        expect(waitAfter(5, 10_000, answered(status, 90_000))).to.equal(90_000);
        expect(waitAfter(5, 10_000, answered(status, 90_000), 30_000)).to.equal(20_000);
        // Sooner than the usual wait is not what it asks for.
        expect(waitAfter(5, 10_000, answered(status, 1_000))).to.equal(16_000);
        expect(waitAfter(1, 0, answered(status, 0))).to.equal(1_000);
        expect(waitAfter(9, allMs, answered(status, 5_000))).to.eql({ to: 'deadLetter', status: 'pending' });
      }
      expect(waitAfter(4, 0, answered(500, 90_000))).to.equal(8_000);
      expect(waitAfter(1, 0, answered(404, 90_000))).to.eql({ to: 'deadLetter', status: 'failed' });
    });

    it('[HOOK-RETRY-6] does not ask for a wait where it is not tried on', () => {
      expect(nextStep(answered(503, 90_000), { attempt: 1 })).to.include({ afterMs: 1_000 });
      expect(nextStep(answered(429, 90_000), { attempt: 1 })).to.include({ to: 'deadLetter' });
    });

    it('ends, and no earlier than its time, whatever it is answered', () => {
      const outcomes = fc.array(
        fc.constantFrom(answered(500), unreachable, answered(503, 100_000), answered(429, 7_000)),
        { minLength: 1 },
      );
      fc.assert(
        fc.property(fc.integer({ min: 0, max: 259_200 }), outcomes, (retrySeconds, answers) => {
          let usedMs = 0;
          let step = nextStep(unreachable, { attempt: 1, patience: { usedMs, allMs: retrySeconds * 1_000 } });
          let attempt = 1;
          for (; step.to === 'retry'; attempt += 1) {
            expect(attempt).to.be.below(3_000);
            usedMs += step.afterMs;
            const outcome = answers[attempt % answers.length] as AttemptOutcome;
            const patience = { usedMs, allMs: retrySeconds * 1_000 };
            step = nextStep(outcome, { attempt: attempt + 1, patience });
          }
          expect(attempt).to.be.at.least(3);
          expect(usedMs).to.be.at.least(retrySeconds * 1_000);
        }),
      );
    });
  });
});

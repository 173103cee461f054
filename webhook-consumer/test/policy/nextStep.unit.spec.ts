import { expect } from 'chai';
import { nextStep, type AttemptOutcome } from '../../src/policy/nextStep.js';

const answered = (status: number): AttemptOutcome => ({ kind: 'answered', status });
const unreachable: AttemptOutcome = { kind: 'unreachable' };

describe('what follows an attempt to call a webhook', () => {
  it('[HOOK-RETRY-1] is the end after any 2xx', () => {
    for (const status of [200, 201, 202, 204, 299])
      expect(nextStep(answered(status), 1)).to.eql({ to: 'done' });
  });

  it('[HOOK-RETRY-3] is a wait of 1 s before the second attempt and 2 s before the third, after a 5xx or no answer', () => {
    for (const outcome of [answered(500), answered(503), answered(599), unreachable]) {
      expect(nextStep(outcome, 1)).to.eql({ to: 'retry', afterMs: 1_000 });
      expect(nextStep(outcome, 2)).to.eql({ to: 'retry', afterMs: 2_000 });
    }
  });

  it('[HOOK-RETRY-2] is a dead letter after the third attempt that could still succeed later', () => {
    expect(nextStep(answered(500), 3)).to.eql({ to: 'deadLetter', status: 'pending' });
    expect(nextStep(unreachable, 3)).to.eql({ to: 'deadLetter', status: 'pending' });
  });

  it('[HOOK-RETRY-4] is never a repetition of what the endpoint refused, redirects included', () => {
    for (const status of [300, 301, 302, 307, 400, 401, 404, 410, 429, 499])
      expect(nextStep(answered(status), 1)).to.eql({ to: 'deadLetter', status: 'failed' });
  });

  it('is never a call of an address that is forbidden', () => {
    expect(nextStep({ kind: 'forbidden' }, 1)).to.eql({ to: 'deadLetter', status: 'failed' });
  });
});

import { expect } from 'chai';
import { createRecordingLogger } from '@roomwire/testing/fakes/loggers';
import { ManualClock } from '@roomwire/testing/fakes/manualClock';
import { calmLogger } from '../../src/runtime/onceAMinute.js';

const setUp = () => {
  const { logger, lines } = createRecordingLogger();
  const clock = new ManualClock();
  return { calm: calmLogger({ clock, logger }), clock, lines };
};

describe('the log of what clients bring about', () => {
  it('has a warning once a minute, and how often there was one since', () => {
    const { calm, clock, lines } = setUp();
    for (let n = 0; n < 1_000; n += 1) calm.warn('A frame could not be handled', { n });
    clock.pass(60_000);
    calm.warn('A frame could not be handled', { n: 'late' });
    expect(lines).to.eql([
      { level: 'warn', message: 'A frame could not be handled', fields: { n: 0 } },
      { level: 'warn', message: 'A frame could not be handled', fields: { n: 'late', times: 1_000 } },
    ]);
  });

  it('has every kind of warning, and all that is not one', () => {
    const { calm, lines } = setUp();
    calm.warn('one');
    calm.warn('another');
    calm.error('failed');
    calm.error('failed');
    expect(lines.map(({ message }) => message)).to.eql(['one', 'another', 'failed', 'failed']);
  });
});

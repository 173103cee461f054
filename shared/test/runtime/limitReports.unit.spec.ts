import { expect } from 'chai';
import { createRecordingLogger } from '@roomwire/testing/fakes/loggers';
import { ManualClock } from '@roomwire/testing/fakes/manualClock';
import { LimitReports } from '../../src/runtime/limitReports.js';

const setUp = () => {
  const { logger, lines } = createRecordingLogger();
  const clock = new ManualClock();
  const reports = new LimitReports({ clock, logger });
  const counted = (): Readonly<Record<string, number>> => {
    const values: Record<string, number> = {};
    void reports.collect({
      value: (_name, value, ...[labels]) => (values[(labels as { limit: string }).limit] = value),
      distribution: () => undefined,
    });
    return values;
  };
  return { reports, clock, lines, counted };
};

describe('limit reports', () => {
  it('count every time a limit is reached, and show those that never were', () => {
    const { reports, counted } = setUp();
    expect(counted()).to.include({ requestRate: 0 });
    for (let n = 0; n < 3; n += 1) reports.reached('requestRate');
    expect(counted()).to.include({ requestRate: 3 });
  });

  it('leave out limits that other metrics count', () => {
    const { reports, counted } = setUp();
    reports.reached('frameBytes');
    expect(counted()).to.not.have.property('frameBytes');
  });

  it('log the first time at once, and later ones together after a minute', () => {
    const { reports, clock, lines } = setUp();
    for (let n = 0; n < 1_000; n += 1) reports.reached('requestRate', { projectId: `p${n}` });
    clock.pass(60_000);
    reports.reached('requestRate', { projectId: 'late' });
    expect(lines).to.eql([
      {
        level: 'warn',
        message: 'Limit reached',
        fields: { limit: 'requestRate', times: 1, projectId: 'p0' },
      },
      {
        level: 'warn',
        message: 'Limit reached',
        fields: { limit: 'requestRate', times: 1_000, projectId: 'late' },
      },
    ]);
  });

  it('log each limit by itself', () => {
    const { reports, lines } = setUp();
    reports.reached('requestRate');
    reports.reached('retainedBytes');
    expect(lines).to.have.length(2);
  });
});

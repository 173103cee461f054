import { expect } from 'chai';
import { createRecordingLogger } from '@roomwire/testing/fakes/loggers';
import { ManualClock } from '@roomwire/testing/fakes/manualClock';
import { EngineUnavailable } from '../../src/ports/errors.js';
import { Outage, reasonOf } from '../../src/runtime/outage.js';

const refused = (): Error =>
  new EngineUnavailable('event log', { cause: new Error('It failed', { cause: new Error('refused') }) });

const setUp = (remedyFor?: (error: unknown) => string | undefined) => {
  const { logger, lines } = createRecordingLogger();
  const clock = new ManualClock();
  const outage = new Outage({ logger, clock, lost: 'It is away', back: 'It is back', remedyFor });
  return { outage, clock, lines };
};

describe('an outage', () => {
  it('is a line with the innermost reason when it begins, and one with its duration when it is over', () => {
    const { outage, clock, lines } = setUp();
    for (let failures = 0; failures < 21; failures += 1) {
      outage.failed(refused());
      clock.pass(1_000);
    }
    const lost = { level: 'warn', message: 'It is away', fields: { reason: 'refused' } };
    expect(lines).to.eql([lost]);
    outage.over();
    outage.over();
    expect(lines).to.eql([lost, { level: 'info', message: 'It is back', fields: { lastedMs: 21_000 } }]);
  });

  it('is told again every minute, with how often it failed since', () => {
    const { outage, clock, lines } = setUp();
    for (let second = 0; second <= 120; second += 1) {
      outage.failed(refused());
      clock.pass(1_000);
    }
    expect(lines.map(({ fields }) => fields)).to.eql([
      { reason: 'refused' },
      { reason: 'refused', times: 60 },
      { reason: 'refused', times: 60 },
    ]);
  });

  it('that comes and goes is told once a minute, and its end only where its beginning was', () => {
    const { outage, clock, lines } = setUp();
    for (let second = 0; second < 60; second += 1) {
      outage.failed(refused());
      clock.pass(1_000);
      outage.over();
    }
    expect(lines.map(({ message }) => message)).to.eql(['It is away', 'It is back']);
    outage.failed(refused());
    expect(lines.at(-1)?.fields).to.eql({ reason: 'refused', times: 60 });
  });

  it('is told with what will help', () => {
    const { outage, lines } = setUp((error) => (reasonOf(error) === 'refused' ? 'Start it' : undefined));
    outage.failed(refused());
    expect(lines[0]?.fields).to.eql({ reason: 'refused', remedy: 'Start it' });
  });

  it('keeps the stack of an error that no engine is the reason of', () => {
    const { outage, lines } = setUp();
    const error = new TypeError('a defect');
    outage.failed(error);
    expect(lines[0]?.fields).to.eql({ error });
  });

  it('of nothing is not over', () => {
    const { outage, lines } = setUp();
    outage.over();
    expect(lines).to.eql([]);
  });
});

describe('the reason of an error', () => {
  it('is the innermost message that says anything', () => {
    expect(reasonOf(new Error('outer', { cause: new Error('') }))).to.equal('outer');
    expect(reasonOf(new Error('outer', { cause: 'text' }))).to.equal('text');
    const tried = [new Error('connect ECONNREFUSED ::1:1'), new Error('connect ECONNREFUSED 127.0.0.1:1')];
    expect(reasonOf(new Error('', { cause: new AggregateError(tried) }))).to.equal(
      'connect ECONNREFUSED ::1:1',
    );
  });

  it('is found where errors are causes of one another', () => {
    const one = new Error('one');
    const other = new Error('other', { cause: one });
    one.cause = other;
    expect(reasonOf(one)).to.equal('other');
  });
});

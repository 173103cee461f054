import { expect } from 'chai';
import { MadeFromAnotherLog } from '@roomwire/shared/ports/errors';
import type { LogOrigin } from '@roomwire/shared/ports/eventLog';
import { rejectionOf } from '@roomwire/testing/contracts/event-log/eventLogUnderTest';
import { createRecordingLogger } from '@roomwire/testing/fakes/loggers';
import { continues, originsIn } from '../src/origins.js';
import { event } from './support/feedWorld.js';
import { positionOf } from './support/history.js';
import { writtenLog } from './support/writtenLog.js';

const events = [event(1), event(2)];
const identity = event(1).id;
const ofThisLog: LogOrigin = { log: identity, position: positionOf(2), event: event(2).id };
const ofAnother: LogOrigin = { log: 'other', position: positionOf(2), event: 'unknown' };
const beforeItWasPutBack: LogOrigin = { ...ofThisLog, position: positionOf(3), event: 'unknown' };

describe('what was made from a log', () => {
  const look = (origin: LogOrigin | undefined, refusesOtherLogs?: boolean) => {
    const { logger, lines } = createRecordingLogger();
    const made = { name: 'audit index', origin: async () => origin };
    const checkpoint = origin?.position ?? positionOf(2);
    const deps = { log: writtenLog(events), logger, refusesOtherLogs };
    return { going: continues(deps, made, checkpoint), lines };
  };

  it('goes on from its checkpoint, and nothing is said', async () => {
    for (const origin of [ofThisLog, undefined]) {
      const { going, lines } = look(origin, true);
      expect(await going).to.equal(true);
      expect(lines).to.eql([]);
    }
  });

  for (const [madeFrom, origin, refusesOtherLogs] of [
    ['another log', ofAnother, undefined],
    ['another log', ofAnother, false],
    ['this log, before it was put back', beforeItWasPutBack, true],
  ] as const)
    it(`is made anew, and that is said, where it is of ${madeFrom}`, async () => {
      const { going, lines } = look(origin, refusesOtherLogs);
      expect(await going).to.equal(false);
      const message = 'Making the audit index anew, for the event log that is here now';
      const fields = { madeFrom, checkpoint: origin.position, origin, log: identity };
      expect(lines).to.eql([{ level: 'warn', message, fields }]);
    });

  it('is refused where it must stay as it is and is of another log', async () => {
    const { going, lines } = look(ofAnother, true);
    const refusal = (await rejectionOf(going)) as Error;
    expect(refusal).to.be.instanceOf(MadeFromAnotherLog);
    expect(refusal.message).to.equal(new MadeFromAnotherLog('audit index', 'other', identity).message);
    expect(lines).to.eql([]);
  });
});

describe('the origin of a batch', () => {
  it('is its last event, in the log of which the first is known', async () => {
    const originOf = await originsIn(writtenLog(events));
    expect(originOf(events)).to.eql(ofThisLog);
    expect(originOf(events.slice(1))).to.eql(ofThisLog);
  });

  it('tells of a log that was empty by the first event of the first batch', async () => {
    const originOf = await originsIn(writtenLog());
    expect(originOf(events)).to.eql(ofThisLog);
    expect(originOf([event(3)])).to.eql({ ...ofThisLog, position: positionOf(3), event: event(3).id });
  });

  it('needs an event', async () => {
    const originOf = await originsIn(writtenLog(events));
    expect(() => originOf([])).to.throw(RangeError, 'A batch has at least one event');
  });
});

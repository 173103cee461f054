import { expect } from 'chai';
import { rejectionOf } from '@roomwire/testing/contracts/event-log/eventLogUnderTest';
import { readEngines } from '../../../src/engines/engines.js';
import { refusalOf } from '../../../src/engines/refusals.js';
import { createVariableReader } from '../../../src/environment.js';
import { eventStoreUnderTest } from './eventStoreUnderTest.js';

describe('the inspection of an EventStoreDB', () => {
  const { engine, openLog } = eventStoreUnderTest();
  const inspect = () => {
    const environment = { ROOMWIRE_EVENTSTORE_URL: engine().url };
    return readEngines(createVariableReader(environment, []), []).eventLog.inspect();
  };

  it('leaves nothing', async () => {
    const findings = await inspect();
    expect(findings.map(({ status }) => status)).to.eql(['ok']);
    const log = await openLog();
    expect(await log.head()).to.equal(undefined);
    expect(await log.readLast('doctor')).to.equal(undefined);
  });

  it('finds a node that reads and does not write', async () => {
    await engine().refuseAppends(100);
    expect(refusalOf(await rejectionOf(inspect()))).to.equal('no leader');
  });
});

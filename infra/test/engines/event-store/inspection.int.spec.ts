import { expect } from 'chai';
import {
  allEvents,
  idsOf,
  newEvent,
  rejectionOf,
} from '@roomwire/testing/contracts/event-log/eventLogUnderTest';
import { readEngines } from '../../../src/engines/engines.js';
import { refusalOf } from '../../../src/engines/refusals.js';
import { createVariableReader } from '../../../src/environment.js';
import { eventStoreUnderTest } from './eventStoreUnderTest.js';

describe('the inspection of an EventStoreDB', () => {
  const { engine, openLog } = eventStoreUnderTest();
  const inspect = (url = engine().url) => {
    const environment = { ROOMWIRE_EVENTSTORE_URL: url };
    return readEngines(createVariableReader(environment, []), []).eventLog.inspect();
  };

  it('leaves nothing', async () => {
    const findings = await inspect();
    expect(findings.map(({ status }) => status)).to.eql(['ok']);
    const log = await openLog();
    expect(await log.head()).to.equal(undefined);
    expect(await log.readLast('doctor')).to.equal(undefined);
  });

  it('finds it under its later name, KurrentDB, as the log does', async () => {
    const url = engine().url.replace('esdb:', 'kurrentdb:');
    expect((await inspect(url)).map(({ status }) => status)).to.eql(['ok']);
    const event = newEvent();
    await (await openLog({ url })).append('room', 'none', [event]);
    expect(idsOf(await allEvents(await openLog()))).to.eql([event.id]);
  });

  it('finds a node that reads and does not write', async () => {
    await engine().refuseAppends(100);
    expect(refusalOf(await rejectionOf(inspect()))).to.equal('no leader');
  });
});

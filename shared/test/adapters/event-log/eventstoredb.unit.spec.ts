import { expect } from 'chai';
import { openEventStoreDbLog } from '../../../src/adapters/event-log/eventstoredb/eventStoreDbLog.js';
import { answerWithin, NoAnswer } from '../../../src/adapters/event-log/eventstoredb/connection.js';
import { newEvent, rejectionOf } from '@roomwire/testing/contracts/event-log/eventLogUnderTest';

describe('the event log in EventStoreDB', () => {
  it('is opened without its server', async () => {
    const log = await openEventStoreDbLog({ url: 'esdb://127.0.0.1:1?tls=false' });
    await log.close();
  });

  it('refuses an invalid URL, and does not repeat the password in it', async () => {
    for (const url of [
      'http://me:secret@host',
      'kurrentdb://me:secret@',
      'esdb://me:secret@',
      'esdb://me:secret@host:port',
      'secret',
      '',
    ]) {
      const error = await rejectionOf(openEventStoreDbLog({ url }));
      expect(error, url).to.be.instanceOf(RangeError);
      expect(String((error as Error).stack) + JSON.stringify(error)).not.to.include('secret');
    }
  });

  it('accepts the stream names that every engine can store', async () => {
    const log = await openEventStoreDbLog({ url: 'esdb://127.0.0.1:1?tls=false' });
    for (const stream of ['', '$all', 'x'.repeat(501)]) {
      expect(await rejectionOf(log.append(stream, 'none', [newEvent()]))).to.be.instanceOf(RangeError);
    }
    await log.close();
  });

  it('does not wait for a late answer, and ignores it', async () => {
    const late = new Promise((_resolve, reject) => setTimeout(() => reject(new Error('Late')), 20));
    expect(await rejectionOf(answerWithin(5, late))).to.be.instanceOf(NoAnswer);
    expect(await answerWithin(1_000, Promise.resolve('in time'))).to.equal('in time');
    await late.catch(() => undefined);
  });
});

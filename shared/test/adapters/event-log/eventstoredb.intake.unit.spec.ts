import { expect } from 'chai';
import { PassThrough } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import { NoAnswer } from '../../../src/adapters/event-log/eventstoredb/connection.js';
import { Intake } from '../../../src/adapters/event-log/eventstoredb/intake.js';
import { rejectionOf } from '@roomwire/testing/contracts/event-log/eventLogUnderTest';

const openIntake = () => {
  const stream = new PassThrough({ objectMode: true, highWaterMark: 5_000 });
  let cancelled = 0;
  const cancel = async (): Promise<void> => {
    cancelled += 1;
  };
  const intake = new Intake<number>({ stream, cancel });
  const write = (count: number): void => {
    for (let number = 0; number < count; number += 1) stream.write(number);
  };
  return { stream, intake, write, cancelled: () => cancelled };
};

describe('the intake of events', () => {
  it('returns the events that have arrived as one batch, within limits', async () => {
    const { stream, intake, write } = openIntake();
    write(1_200);
    stream.end();
    const sizes: number[] = [];
    for (let batch; (batch = await intake.next());) sizes.push(batch.length);
    expect(sizes).to.deep.equal([500, 500, 200]);
  });

  it('is idle only while its consumer waits and it is empty', async () => {
    const { intake, write } = openIntake();
    expect(intake.isIdle, 'nobody has come').to.equal(false);
    const first = intake.next();
    expect(intake.isIdle, 'somebody waits').to.equal(true);
    write(1);
    expect(intake.isIdle, 'something is there').to.equal(false);
    await first;
    expect(intake.isIdle, 'it is in work').to.equal(false);
    write(1);
    expect(intake.isIdle, 'more is there').to.equal(false);
    await intake.next();
    expect(intake.isIdle, 'that is in work').to.equal(false);
    void intake.next();
    expect(intake.isIdle, 'all is done').to.equal(true);
    intake.stop();
  });

  it('fails after the events that preceded the failure', async () => {
    const { stream, intake, write } = openIntake();
    write(3);
    const failure = new Error('The connection is lost');
    await setImmediate();
    stream.emit('error', failure);
    expect(await intake.next()).to.have.length(3);
    expect(await rejectionOf(intake.next())).to.equal(failure);
  });

  it('ignores errors after its consumer has stopped', async () => {
    const { stream, intake, cancelled } = openIntake();
    intake.stop();
    intake.stop();
    stream.emit('error', new Error('The connection is lost'));
    stream.emit('error', new Error('And once more'));
    expect(await intake.next()).to.equal(undefined);
    expect(cancelled()).to.equal(1);
  });

  it('ends for a waiting consumer when it is stopped', async () => {
    const { intake } = openIntake();
    const next = intake.next();
    intake.stop();
    expect(await next).to.equal(undefined);
  });

  it('fails when nothing arrives for too long, but not while no consumer waits', async () => {
    const { intake, write } = openIntake();
    write(1);
    expect(await intake.next(10)).to.have.length(1);
    expect(await rejectionOf(intake.next(10))).to.be.instanceOf(NoAnswer);
  });
});

import type { Worker } from 'node:worker_threads';
import { expect } from 'chai';
import { createRecordingLogger } from '@roomwire/testing/fakes/loggers';
import { eventually } from '@roomwire/testing/run/eventually';
import { addUp } from '../../src/threads/collected.js';
import { SupervisedThread, type SupervisedThreadDeps } from '../../src/threads/supervisedThread.js';
import type { Script } from './scriptedThread.js';

const patience = { withinMs: 20_000 };

/** Nobody is ended, however busy the machine. */
const patientBounds = { lookEveryMs: 500, blockedLooks: 4, stuckLooks: Infinity };
const strictBounds = { ...patientBounds, stuckLooks: 6 };

describe('a thread that is supervised', function () {
  this.timeout(60_000);
  const workers = new Set<Worker>();
  const started = (worker: Worker): void => {
    workers.add(worker);
    worker.once('exit', () => workers.delete(worker));
  };
  let starts: Int32Array;
  let gate: Int32Array;
  const { logger, lines } = createRecordingLogger();
  const threads: SupervisedThread[] = [];

  before(() => void process.on('worker', started));
  after(() => void process.off('worker', started));
  beforeEach(() => {
    starts = new Int32Array(new SharedArrayBuffer(4));
    gate = new Int32Array(new SharedArrayBuffer(4)).fill(1);
    lines.splice(0);
  });
  afterEach(async () => {
    for (const thread of threads.splice(0)) await thread.close();
    expect(workers.size).to.equal(0);
  });

  const supervised = (script: Partial<Script> = {}, watchBounds = patientBounds): SupervisedThread => {
    const settings = { starts, failures: 0, hangsAfter: Infinity, gate, ...script };
    const thread = new SupervisedThread({
      ...{ number: 1, logger, betweenStarts: { firstMs: 1, longestMs: 4 }, watchBounds },
      file: new URL('./scriptedThread.js', import.meta.url),
      settings: settings as unknown as SupervisedThreadDeps['settings'],
      serve: () => ({ close: async () => undefined }),
    });
    threads.push(thread);
    return thread;
  };
  const setGate = (value: number): void => {
    Atomics.store(gate, 0, value);
    Atomics.notify(gate, 0);
  };
  const linesAbout = (text: string) => lines.filter(({ message }) => message.includes(text));
  const kill = async (): Promise<void> =>
    void (await Promise.all([...workers].map((worker) => worker.terminate())));

  it('is started anew when it dies, and goes on counting where the one before it ended', async () => {
    const thread = supervised();
    await thread.start();
    await thread.collect();
    await kill();
    await eventually(() => thread.restarts === 1 && thread.isRunning, patience);
    expect(addUp(await thread.collect())).to.eql([
      { name: 'roomwire_publishes_total', value: 10, labels: {} },
      { name: 'roomwire_connections_open', value: 1, labels: {} },
    ]);
    expect(lines.map(({ message }) => message)).to.include(
      'A thread of the gateway has died, and its connections with it',
    );
  });

  it('is tried again for as long as it cannot be started', async () => {
    const thread = supervised({ failures: 3 });
    await thread.start();
    await kill();
    await eventually(() => thread.isRunning && Atomics.load(starts, 0) === 5, patience);
    expect(thread.restarts).to.equal(1);
    const failed = lines.filter(({ message }) => message.includes('could not be started'));
    expect(failed).to.have.length(3);
  });

  it('ends where it is closed while it starts', async () => {
    const thread = supervised({ hangsAfter: 0 });
    const starting = thread.start().then(
      () => 'started',
      () => 'ended',
    );
    await eventually(() => Atomics.load(starts, 0) === 1, patience);
    await thread.close();
    expect(await starting).to.equal('ended');
    expect(thread.isRunning).to.equal(false);
  });

  it('is told apart while its event loop is blocked, and asked for nothing', async () => {
    const thread = supervised();
    await thread.start();
    const shown = await thread.collect();
    setGate(0);
    const asked = thread.collect();
    await eventually(() => thread.blockedSeconds >= 2, patience);
    expect([thread.isRunning, thread.isAnswering]).to.eql([true, false]);
    expect(await thread.collect()).to.eql(shown);
    const [blocked, ...more] = linesAbout('is blocked');
    expect(blocked).to.deep.include({ level: 'error', fields: { thread: 1, seconds: 2 } });
    expect(more).to.eql([]);
    setGate(1);
    await eventually(() => thread.isAnswering, patience);
    await asked;
    const [ended] = linesAbout('no longer blocked');
    expect(ended?.fields).to.include({ thread: 1 });
    expect(ended?.fields?.['seconds']).to.be.at.least(2);
    expect(thread.restarts).to.equal(0);
  });

  it('is ended and started anew where it does not come back by itself', async () => {
    const thread = supervised({}, strictBounds);
    await thread.start();
    setGate(0);
    await thread.collect();
    await eventually(() => thread.restarts === 1 && thread.isAnswering, patience);
    expect(linesAbout('is stuck, and is ended')).to.have.length(1);
    expect(linesAbout('has died, and its connections with it')).to.have.length(1);
    expect(Atomics.load(starts, 0)).to.equal(2);
  });

  it('does not hold up an end of the process where it is blocked', async () => {
    const thread = supervised();
    await thread.start();
    setGate(0);
    void thread.collect();
    let ended = false;
    const ending = thread.drain(1).then(() => thread.close());
    void ending.then(() => (ended = true));
    await eventually(() => ended, patience);
    expect(workers.size).to.equal(0);
  });

  it('is not started anew where it drains while the one in its place starts', async () => {
    const thread = supervised({ hangsAfter: 1 });
    await thread.start();
    await kill();
    await eventually(() => Atomics.load(starts, 0) === 2, patience);
    await thread.drain(1);
    await eventually(() => workers.size === 0, patience);
    await thread.close();
    expect(Atomics.load(starts, 0)).to.equal(2);
    expect(linesAbout('could not be started')).to.eql([]);
  });

  it('is not started anew once it drains', async () => {
    const thread = supervised();
    await thread.start();
    await thread.drain(1);
    await kill();
    await eventually(() => !thread.isRunning, patience);
    await thread.close();
    expect(Atomics.load(starts, 0)).to.equal(1);
  });
});

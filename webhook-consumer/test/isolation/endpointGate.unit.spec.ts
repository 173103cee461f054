import { expect } from 'chai';
import { systemClock } from '@roomwire/shared/adapters/system/systemClock';
import { eventually } from '@roomwire/testing/run/eventually';
import type { CallEnd } from '../../src/isolation/endpoint.js';
import { EndpointGate, GateClosed, type Permit } from '../../src/isolation/endpointGate.js';
import { defaultOptions } from '../../src/options.js';

/** A gate whose calls end when the test says so. */
class Calls {
  readonly gate: EndpointGate;
  /** In the order in which they began. */
  readonly begun: { readonly name: string; readonly pass: Permit }[] = [];
  readonly deferred: string[] = [];
  private now = 0;

  constructor(options: Partial<typeof defaultOptions> = {}) {
    const clock = { now: () => systemClock.now(), monotonic: () => this.now };
    this.gate = new EndpointGate({ ...defaultOptions, maxCallsPerNewEndpoint: 64, ...options }, clock);
  }

  pass(ms: number): void {
    this.now += ms;
  }

  apply(endpoint: string, room: string, bytes = 0, projectId = 'p1'): void {
    const name = `${endpoint}/${room}`;
    void this.gate.enter({ projectId, url: endpoint, room, bytes }).then(
      (pass) => (pass ? this.begun.push({ name, pass }) : this.deferred.push(name)),
      (error: Error) => this.deferred.push(error.name),
    );
  }

  applyTimes(count: number, endpoint: string, room: (n: number) => string): void {
    for (let n = 0; n < count; n += 1) this.apply(endpoint, room(n));
  }

  end(name: string, end: CallEnd = 'accepted'): void {
    const index = this.begun.findIndex((call) => call.name === name);
    this.begun.splice(index, 1)[0]?.pass.done(end);
  }

  async settled(begun: number, deferred = 0): Promise<void> {
    await eventually(() => this.begun.length === begun && this.deferred.length === deferred, {
      what: `${begun} begun and ${deferred} deferred`,
    }).catch(() =>
      expect({ begun: this.begun.length, deferred: this.deferred.length }).to.eql({ begun, deferred }),
    );
  }
}

const roomOfItsOwn = (n: number): string => `room ${n}`;
const oneRoom = (): string => 'room';

describe('[HOOK-ISOLATION-1] the gate to the endpoints', () => {
  let calls: Calls;
  const opened = (options: Partial<typeof defaultOptions> = {}): Calls => (calls = new Calls(options));
  afterEach(() => calls.gate.close());

  it('admits a limited number of calls of an endpoint, lets four times as many wait, and defers the rest', async () => {
    opened({ maxCallsPerEndpoint: 3 });
    calls.applyTimes(20, 'hung', roomOfItsOwn);
    await calls.settled(3, 5);
    calls.apply('other', 'room');
    await calls.settled(4, 5);
    expect(calls.begun.at(-1)?.name).to.equal('other/room');
  });

  it('lets more of them wait for an endpoint that has just answered in time, until it is slow', async () => {
    opened({ maxCallsPerEndpoint: 3, maxCallsPerSlowEndpoint: 3, maxWaitMs: 5_000 });
    calls.applyTimes(2, 'a', roomOfItsOwn);
    await calls.settled(2);
    calls.end('a/room 0');
    calls.applyTimes(100, 'a', roomOfItsOwn);
    await calls.settled(3, 100 - 2 - 48);
    calls.pass(1_001);
    calls.apply('a', 'late');
    await calls.settled(3, 51);
  });

  it('admits the next one when one has ended', async () => {
    opened({ maxCallsPerEndpoint: 1 });
    calls.applyTimes(3, 'a', roomOfItsOwn);
    for (const n of [0, 1, 2]) {
      await calls.settled(1);
      expect(calls.begun[0]?.name).to.equal(`a/room ${n}`);
      calls.end(`a/room ${n}`);
    }
    await calls.settled(0);
    expect(calls.gate.inFlight).to.equal(0);
  });

  it('defers calls that have waited too long', async () => {
    opened({ maxCallsPerEndpoint: 1, maxCallsPerSlowEndpoint: 1, maxWaitMs: 1_500 });
    calls.applyTimes(3, 'a', roomOfItsOwn);
    await calls.settled(1);
    calls.pass(1_600);
    await calls.settled(1, 2);
  });

  it('limits a slow endpoint further, and most while half of all calls are running', async () => {
    opened({
      maxCallsPerEndpoint: 8,
      maxCallsPerSlowEndpoint: 2,
      maxCallsPerSlowEndpointUnderLoad: 1,
      maxCalls: 8,
    });
    calls.apply('slow', 'first');
    await calls.settled(1);
    calls.pass(1_001);
    calls.applyTimes(20, 'slow', roomOfItsOwn);
    await calls.settled(2, 11);
    calls.applyTimes(3, 'good', roomOfItsOwn);
    await calls.settled(5, 11);
    calls.end('slow/first', 'unanswered');
    await calls.settled(4, 11);
  });

  it('never allows a slow endpoint more calls than a steady one', async () => {
    opened({ maxCallsPerEndpoint: 2, maxCallsPerSlowEndpoint: 16 });
    calls.applyTimes(5, 'slow', roomOfItsOwn);
    await calls.settled(2);
    calls.pass(1_001);
    calls.apply('slow', 'late');
    await calls.settled(2);
    expect(calls.gate.inFlight).to.equal(2);
  });

  it('considers an endpoint steady again after an answer in time', async () => {
    opened({ maxCallsPerEndpoint: 4, maxCallsPerSlowEndpoint: 1 });
    calls.apply('a', 'first');
    await calls.settled(1);
    calls.end('a/first', 'unanswered');
    calls.applyTimes(2, 'a', roomOfItsOwn);
    // The gate keeps no state of an endpoint without calls.
    await calls.settled(2);
    calls.end('a/room 0', 'unanswered');
    calls.apply('a', 'third');
    await calls.settled(1);
    calls.end('a/room 1');
    await calls.settled(1);
    calls.apply('a', 'fourth');
    await calls.settled(2);
  });

  it('limits the running calls in total, and passes a free place to a waiting call', async () => {
    opened({ maxCalls: 2 });
    for (const endpoint of ['a', 'b', 'c']) calls.apply(endpoint, 'room');
    await calls.settled(2);
    calls.end('a/room');
    await calls.settled(2);
    expect(calls.begun.map(({ name }) => name)).to.eql(['b/room', 'c/room']);
  });

  it('defers calls beyond the memory limit, but never all', async () => {
    opened({ maxBytes: 100 });
    calls.apply('a', '1', 1_000);
    calls.apply('b', '2', 1);
    await calls.settled(1, 1);
    calls.end('a/1');
    calls.apply('b', '3', 60);
    calls.apply('c', '4', 40);
    calls.apply('d', '5', 1);
    await calls.settled(2, 2);
  });

  describe('[HOOK-ISOLATION-2] for an endpoint that has not answered 2xx', () => {
    it('admits two calls at a time, until the first 2xx', async () => {
      opened({ maxCallsPerNewEndpoint: 2, maxCallsPerEndpoint: 8 });
      calls.applyTimes(20, 'new', roomOfItsOwn);
      await calls.settled(2);
      calls.end('new/room 0', 'answered');
      calls.end('new/room 1', 'unanswered');
      await calls.settled(2);
      calls.end('new/room 2', 'accepted');
      await calls.settled(8);
    });

    it('remembers the 2xx after the last call has ended, for that project and URL', async () => {
      opened({ maxCallsPerNewEndpoint: 2, maxCallsPerEndpoint: 8 });
      calls.apply('known', 'first');
      await calls.settled(1);
      calls.end('known/first');
      await calls.settled(0);
      calls.applyTimes(8, 'known', roomOfItsOwn);
      await calls.settled(8);
      for (let n = 0; n < 8; n += 1) calls.apply('known', roomOfItsOwn(n), 0, 'another project');
      await calls.settled(10);
    });
  });

  describe('[HOOK-ISOLATION-3] for one project', () => {
    it('limits the calls in flight to all of its endpoints, and starts the next when one ends', async () => {
      opened({ maxCallsPerProject: 3 });
      for (const endpoint of ['a', 'b', 'c', 'd']) calls.apply(endpoint, 'room');
      calls.apply('e', 'room', 0, 'another project');
      await calls.settled(4);
      calls.end('a/room');
      await calls.settled(4);
      expect(calls.begun.map(({ name }) => name)).to.include('d/room');
    });

    it('defers what it has too many of, in number or in bytes', async () => {
      opened({ maxCallsPerProject: 1, maxQueuedCallsPerProject: 3, maxBytesPerProject: 100 });
      for (const endpoint of ['a', 'b', 'c', 'd']) calls.apply(endpoint, 'room', 30);
      await calls.settled(1, 1);
      calls.apply('a', 'large', 1_000, 'another project');
      calls.apply('a', 'more', 1, 'another project');
      await calls.settled(2, 2);
      for (const name of ['a/room', 'b/room', 'c/room']) {
        await eventually(() => calls.begun.some((call) => call.name === name));
        calls.end(name);
      }
      await calls.settled(1, 2);
      calls.apply('a', 'again', 30);
      await calls.settled(2, 2);
    });
  });

  it('refuses every call when it is closed', async () => {
    opened({ maxCallsPerEndpoint: 1 });
    calls.applyTimes(2, 'a', oneRoom);
    await calls.settled(1);
    calls.gate.close();
    calls.apply('b', 'room');
    await calls.settled(1, 2);
    expect(calls.deferred).to.eql([GateClosed.name, GateClosed.name]);
  });

  describe('[HOOK-ORDER-1] within a room', () => {
    it('starts the next call when the previous one has ended', async () => {
      opened();
      calls.applyTimes(3, 'a', oneRoom);
      calls.apply('a', 'other');
      await calls.settled(2);
      calls.end('a/room');
      await calls.settled(2);
    });

    it('starts the next call earlier when it has waited for half a second', async () => {
      opened();
      calls.applyTimes(3, 'a', oneRoom);
      await calls.settled(1);
      calls.pass(501);
      await calls.settled(3);
    });

    it('starts the next call earlier when more than 32 wait', async () => {
      opened();
      calls.applyTimes(40, 'a', oneRoom);
      await calls.settled(8);
    });
  });
});

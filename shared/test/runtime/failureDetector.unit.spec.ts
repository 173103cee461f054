import { expect } from 'chai';
import { FailureDetector } from '../../src/runtime/failureDetector.js';

/** Beats every 3 s, as a gateway does. */
class Watch {
  now = 0;
  private readonly judge = new FailureDetector({ silenceMs: 12_000, readingMs: 4_000 });

  pass(seconds: number): this {
    this.now += seconds * 1_000;
    return this;
  }

  hear(...peers: string[]): this {
    for (const peer of peers) this.judge.heard(peer, this.now);
    return this;
  }

  ownReturn(): this {
    this.judge.ownHeartbeatReturned(this.now);
    return this;
  }

  beats(count: number, ...peers: string[]): this {
    for (let beat = 0; beat < count; beat++)
      this.pass(3)
        .ownReturn()
        .hear(...peers);
    return this;
  }

  forget(peer: string): this {
    this.judge.forget(peer);
    return this;
  }

  get dead(): readonly string[] {
    return this.judge.failed(this.now);
  }
}

describe('the failure detector', () => {
  it('considers a gateway dead that has been silent for 12 s, and no earlier', () => {
    const watch = new Watch().beats(2, 'a', 'b').beats(3, 'b').pass(2.999);
    expect(watch.dead).to.deep.equal([]);
    expect(watch.pass(0.001).dead).to.deep.equal(['a']);
  });

  it('considers no peer dead while its own heartbeats do not return', () => {
    const watch = new Watch().beats(2, 'a').pass(3_600);
    expect(watch.dead).to.deep.equal([]);
  });

  it('gives peers their full time again after a bus outage', () => {
    const watch = new Watch().beats(2, 'a').pass(60).ownReturn();
    expect(watch.dead, 'at once').to.deep.equal([]);
    expect(watch.beats(2).pass(1.999).dead, 'two beats later').to.deep.equal([]);
    expect(watch.pass(0.001).dead).to.deep.equal(['a']);
  });

  it('keeps peers that were alive all the time when it was suspended itself', () => {
    const watch = new Watch().beats(1, 'a').pass(300);
    expect(watch.dead, 'before anything was read').to.deep.equal([]);
    for (let behind = 0; behind < 100; behind++) watch.hear('a');
    expect(watch.ownReturn().beats(3, 'a').dead).to.deep.equal([]);
  });

  it('does not judge before it has received its own heartbeat', () => {
    expect(new Watch().hear('a').pass(600).dead).to.deep.equal([]);
  });

  it('forgets a peer, and accepts it again when it is heard again', () => {
    const watch = new Watch().beats(1, 'a').beats(5);
    expect(watch.dead).to.deep.equal(['a']);
    expect(watch.forget('a').dead).to.deep.equal([]);
    expect(watch.hear('a').beats(1, 'a').dead).to.deep.equal([]);
  });

  it('counts at most the time of a heartbeat when heartbeats are late', () => {
    const watch = new Watch().beats(1, 'a');
    for (let late = 0; late < 2; late++) watch.pass(30).ownReturn();
    expect(watch.dead, 'two late beats are 8 s').to.deep.equal([]);
    expect(watch.pass(30).ownReturn().dead).to.deep.equal(['a']);
  });
});

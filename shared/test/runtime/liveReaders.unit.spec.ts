import { expect } from 'chai';
import { LiveReaders } from '../../src/runtime/liveReaders.js';

const topic = 'notes';
const versions = { newest: 3, previous: 1 };

/** Announces itself every 3 s, as a process does, and takes 10 s to have heard of all. */
class Listener {
  now = 0;
  private readonly readers = new LiveReaders({ silenceMs: 60_000, readingMs: 4_000, settlingMs: 10_000 });

  hear(reader: string, version: number | undefined): this {
    this.readers.heard(reader, version === undefined ? {} : { [topic]: version }, this.now);
    return this;
  }

  /** The readers that are alive, with the version that each reads. */
  beats(count: number, alive: Readonly<Record<string, number>> = {}): this {
    for (let beat = 0; beat < count; beat++) {
      this.now += 3_000;
      this.readers.ownReturned(this.now);
      for (const [reader, version] of Object.entries(alive)) this.hear(reader, version);
    }
    return this;
  }

  pass(seconds: number): this {
    this.now += seconds * 1_000;
    return this;
  }

  silent(): readonly string[] {
    return this.readers.forgetSilent(this.now);
  }

  get version(): number {
    return this.readers.versionFor(topic, versions, this.now);
  }
}

describe('the version for live readers', () => {
  it('is the newest that all of them read', () => {
    const listener = new Listener().beats(5, { a: 3, b: 2, c: 3 });
    expect(listener.version).to.equal(2);
    expect(listener.hear('b', undefined).version, 'b has ended').to.equal(3);
    expect(listener.hear('d', 2).version, 'a reader of the second has come').to.equal(2);
  });

  it('is not newer than what is written here', () => {
    expect(new Listener().beats(5, { a: 4, b: 5 }).version).to.equal(3);
  });

  it('is that of the previous release where nobody is known to read', () => {
    expect(new Listener().beats(5).version).to.equal(1);
  });

  it('is at least that of the previous release', () => {
    expect(new Listener().beats(5, { a: 0 }).version).to.equal(1);
  });

  it('is that of the previous release until all can have been heard', () => {
    const listener = new Listener().beats(4, { a: 3 });
    expect(listener.version, 'after 9 s').to.equal(1);
    expect(listener.pass(1).version, 'after 10 s').to.equal(3);
  });

  it('waits for a reader that is silent, as long as it may come back', () => {
    const listener = new Listener().beats(5, { a: 3, b: 2 }).beats(19, { a: 3 });
    expect(listener.silent()).to.deep.equal([]);
    expect(listener.version).to.equal(2);
    expect(listener.beats(1, { a: 3 }).silent()).to.deep.equal(['b']);
    expect(listener.version).to.equal(3);
  });

  it('waits for all of them through an outage of the bus, in which nobody is heard', () => {
    const listener = new Listener().beats(5, { a: 3, b: 2 }).pass(3_600).beats(1, { a: 3 });
    expect(listener.silent()).to.deep.equal([]);
    expect(listener.version).to.equal(2);
  });
});

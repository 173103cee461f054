import { expect } from 'chai';
import type { RecordedEvent } from '@roomwire/shared/domain/eventEnvelope';
import { roughSize } from '@roomwire/shared/runtime/roughSize';
import { eventually } from '@roomwire/testing/run/eventually';
import { GatheredBatches } from '../src/gatheredBatches.js';

const event = (name: string, text = ''): RecordedEvent => ({
  id: name,
  type: 'Something',
  schemaVersion: 1,
  data: { text },
  metadata: {
    organizationId: 'o',
    projectId: 'p',
    occurredAt: '2026-01-01T00:00:00.000Z',
    principal: 'system',
    requestId: name,
  },
  stream: 's',
  revision: 0,
  position: name,
});

/** A revocation in a project. */
const revocation = (name: string, projectId: string): RecordedEvent =>
  inProject(name, projectId, 'ActorDeleted');

const inProject = (name: string, projectId: string, type = 'Something'): RecordedEvent => {
  const made = event(name);
  return { ...made, type, metadata: { ...made.metadata, projectId } };
};

/** Steps that begin when they are told to, end when the test says so, and keep a list of both. */
const world = () => {
  const told: string[] = [];
  const ends = new Map<string, { resolve: () => void; reject: (error: Error) => void }>();
  const step = (kind: string) => (events: readonly RecordedEvent[]) =>
    new Promise<void>((resolve, reject) => {
      const name = `${kind} ${events.map(({ id }) => id).join('')}`;
      told.push(name);
      ends.set(name, { resolve, reject });
    });
  let failures = 0;
  const batches = new GatheredBatches(
    { write: step('write'), afterwards: step('feed'), ahead: step('ahead') },
    () => void (failures += 1),
  );
  const end = async (name: string): Promise<void> => {
    await eventually(() => ends.has(name));
    ends.get(name)?.resolve();
  };
  const fail = async (name: string): Promise<void> => {
    await eventually(() => ends.has(name));
    ends.get(name)?.reject(new Error(`no ${name}`));
  };
  return { told, batches, end, fail, failures: () => failures };
};

const isPending = async (promise: Promise<unknown>): Promise<boolean> => {
  const other = Symbol('other');
  // One turn of the event loop, in which everything that is settled already tells.
  const turn = new Promise((resolve) => setImmediate(resolve, other));
  return (await Promise.race([promise, turn])) === other;
};

describe('gathered batches', () => {
  it('collect what arrives during a write, and write it as one batch', async () => {
    const { told, batches, end } = world();
    await batches.add([event('a')]);
    await batches.add([event('b'), event('c')]);
    await batches.add([event('d')]);
    expect(told).to.deep.equal(['write a']);
    for (const name of ['write a', 'write bcd', 'feed a', 'feed bcd']) await end(name);
    await batches.done();
  });

  it('feed a batch while the next one is written, one at a time and in order', async () => {
    const { told, batches, end } = world();
    await batches.add([event('a')]);
    await end('write a');
    await eventually(() => told.includes('feed a'));
    await batches.add([event('b')]);
    await end('write b');
    await batches.add([event('c')]);
    // Not before the feed of the first is through, so that no more than two are in doubt.
    expect(await isPending(batches.done())).to.equal(true);
    expect(told).to.deep.equal(['write a', 'feed a', 'write b']);
    for (const name of ['feed a', 'feed b', 'write c', 'feed c']) await end(name);
    await batches.done();
    expect(told.filter((name) => name.startsWith('feed'))).to.deep.equal(['feed a', 'feed b', 'feed c']);
  });

  it('have finished when all earlier events are processed, regardless of later ones', async () => {
    const { batches, end } = world();
    await batches.add([event('a')]);
    const done = batches.done();
    await batches.add([event('b')]);
    await end('write a');
    await end('feed a');
    await done;
    const later = batches.done();
    expect(await isPending(later)).to.equal(true);
    for (const name of ['write b', 'feed b']) await end(name);
    await later;
  });

  it('are limited in events and in characters', async () => {
    for (const [count, text] of [
      [2_000, ''],
      [4, 'x'.repeat(1_000_000)],
    ] as const) {
      const { batches, end } = world();
      await batches.add([event('a')]);
      const many = Array.from({ length: count - 1 }, () => event('b', text));
      await batches.add(many);
      const full = batches.add([event('c', text)]);
      expect(await isPending(full)).to.equal(true);
      await end('write a');
      await full;
    }
  });

  it('are full with four million characters, and not with one less', async () => {
    const most = 4_000_000 - roughSize({ text: '' });
    for (const [length, isFull] of [
      [most, true],
      [most - 1, false],
    ] as const) {
      const { batches, end } = world();
      await batches.add([event('a')]);
      const added = batches.add([event('b', 'x'.repeat(length))]);
      expect(await isPending(added)).to.equal(isFull);
      await end('write a');
      await added;
    }
  });

  it('end with the error of a failed step, and start nothing after it', async () => {
    for (const failing of ['write a', 'feed a']) {
      const { told, batches, end, fail, failures } = world();
      await batches.add([event('a')]);
      if (failing === 'feed a') await end('write a');
      await fail(failing);
      const error = await batches.done().catch((caught: unknown) => caught);
      expect(error).to.have.property('message', `no ${failing}`);
      expect(failures()).to.equal(1);
      const before = [...told];
      const again = await batches.add([event('b')]).catch((caught: unknown) => caught);
      expect(again).to.equal(error);
      expect(told).to.deep.equal(before);
    }
  });

  it('report a failure to a producer that waits for space', async () => {
    const { batches, fail } = world();
    await batches.add([event('a')]);
    const full = batches.add(Array.from({ length: 2_000 }, () => event('b')));
    const told = full.catch((error: unknown) => error);
    await fail('write a');
    expect(await told).to.have.property('message', 'no write a');
  });

  it('do not finish before the feed of a batch has ended, whether or not the next write fails', async () => {
    const { told, batches, end, fail } = world();
    await batches.add([event('a')]);
    await end('write a');
    await eventually(() => told.includes('feed a'));
    await batches.add([event('b')]);
    await fail('write b');
    const done = batches.done().catch((error: unknown) => error);
    expect(await isPending(done)).to.equal(true);
    await end('feed a');
    expect(await done).to.have.property('message', 'no write b');
  });

  it('tell of one failure, the first', async () => {
    const { told, batches, end, fail, failures } = world();
    await batches.add([event('a')]);
    await end('write a');
    await eventually(() => told.includes('feed a'));
    await batches.add([event('b')]);
    await fail('write b');
    await fail('feed a');
    const error = await batches.done().catch((caught: unknown) => caught);
    expect(error).to.have.property('message', 'no write b');
    expect(failures()).to.equal(1);
  });

  describe('with revocations', () => {
    it('let them go ahead of what others have changed, with what is before them in their project', async () => {
      const { told, batches, end } = world();
      await batches.add([inProject('a', 'bulk')]);
      await batches.add([inProject('b', 'bulk'), inProject('c', 'small')]);
      await batches.add([revocation('d', 'small'), inProject('e', 'small'), inProject('f', 'bulk')]);
      expect(told).to.deep.equal(['write a', 'ahead cd']);
      for (const name of ['ahead cd', 'write a', 'feed a', 'write bcdef', 'feed bcdef']) await end(name);
      await batches.done();
    });

    it('keep the order of a project of which something is being written or fed', async () => {
      const { told, batches, end } = world();
      await batches.add([inProject('a', 'small')]);
      await batches.add([revocation('b', 'small')]);
      expect(told).to.deep.equal(['write a']);
      for (const name of ['write a', 'write b', 'feed a', 'feed b']) await end(name);
      await batches.done();
      expect(told).to.not.include('ahead b');
    });

    it('begin no batch while something goes ahead of it', async () => {
      const { told, batches, end } = world();
      await batches.add([inProject('a', 'bulk')]);
      await batches.add([revocation('b', 'small')]);
      await end('write a');
      await end('feed a');
      expect(await isPending(batches.done())).to.equal(true);
      expect(told).to.deep.equal(['write a', 'ahead b', 'feed a']);
      await end('ahead b');
      for (const name of ['write b', 'feed b']) await end(name);
      await batches.done();
    });

    it('let none go ahead any more once its batch is next', async () => {
      const { told, batches, end } = world();
      await batches.add([inProject('a', 'bulk')]);
      await batches.add([revocation('b', 'small')]);
      for (const name of ['write a', 'feed a']) await end(name);
      expect(await isPending(batches.done())).to.equal(true);
      await batches.add([revocation('c', 'small')]);
      for (const name of ['ahead b', 'write bc', 'feed bc']) await end(name);
      await batches.done();
      expect(told).to.deep.equal(['write a', 'ahead b', 'feed a', 'write bc', 'feed bc']);
    });

    it('write nothing after what went ahead of it has failed', async () => {
      const { told, batches, end, fail } = world();
      await batches.add([inProject('a', 'bulk')]);
      await batches.add([revocation('b', 'small')]);
      for (const name of ['write a', 'feed a']) await end(name);
      await fail('ahead b');
      const error = await batches.done().catch((caught: unknown) => caught);
      expect(error).to.have.property('message', 'no ahead b');
      expect(told).to.deep.equal(['write a', 'ahead b', 'feed a']);
    });

    it('let each go ahead once, and later ones after it', async () => {
      const { told, batches, end } = world();
      await batches.add([inProject('a', 'bulk')]);
      await batches.add([revocation('b', 'small')]);
      await batches.add([revocation('c', 'small')]);
      expect(told).to.deep.equal(['write a', 'ahead b']);
      await end('ahead b');
      await eventually(() => told.includes('ahead c'));
      expect(told).to.deep.equal(['write a', 'ahead b', 'ahead c']);
      for (const name of ['ahead c', 'write a', 'feed a', 'write bc', 'feed bc']) await end(name);
      await batches.done();
    });

    it('let no project send more than a hundred events ahead at once', async () => {
      const { told, batches, end } = world();
      await batches.add([inProject('0', 'other')]);
      const many = Array.from({ length: 150 }, (_, n) => revocation(`${1_000 + n}`, 'bulk'));
      await batches.add([...many, revocation('9', 'small')]);
      const first = many.slice(0, 100).map(({ id }) => id);
      expect(told.at(-1)).to.equal(`ahead ${first.join('')}9`);
      for (const name of [told.at(-1) ?? '', 'write 0']) await end(name);
      void batches.done().catch(() => undefined);
    });

    it('end with the error of what went ahead', async () => {
      const { told, batches, end, fail } = world();
      await batches.add([inProject('a', 'bulk')]);
      await batches.add([revocation('b', 'small')]);
      await fail('ahead b');
      const done = batches.done().catch((error: unknown) => error);
      await end('write a');
      expect(await done).to.have.property('message', 'no ahead b');
      expect(told).to.not.include('write b');
    });
  });
});

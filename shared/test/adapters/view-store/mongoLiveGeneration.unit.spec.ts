import { expect } from 'chai';
import { LiveGeneration, retirementMs } from '../../../src/adapters/view-store/mongo/liveGeneration.js';
import { EngineUnavailable } from '../../../src/ports/errors.js';
import type { Progress } from '../../../src/adapters/view-store/mongo/progress.js';
import type { ViewGeneration } from '../../../src/adapters/view-store/mongo/viewCollections.js';

describe('the generation that readers use', () => {
  let now: number;
  let live: number;
  let questions: number;
  let reader: LiveGeneration;

  beforeEach(() => {
    [now, live, questions] = [0, 0, 0];
    reader = new LiveGeneration({
      readProgress: async () => {
        questions += 1;
        return { _id: 'projector', term: 1, generation: live } satisfies Progress;
      },
      generation: (number) => ({ number }) as ViewGeneration,
      now: () => now,
    });
  });
  const present = (): boolean => false;
  const read = (): Promise<number> => reader.read(async ({ number }) => number, present);

  it('is read before the first query, and not again with every query', async () => {
    live = 3;
    expect([await read(), await read(), await read()]).to.eql([3, 3, 3]);
    expect(questions).to.equal(1);
  });

  it('is refreshed whenever the progress is read', async () => {
    await read();
    live = 1;
    await reader.checkpoint();
    expect(await read()).to.equal(1);
    expect(questions).to.equal(2);
  });

  it('is refreshed beside the queries after a second, and before them after five', async () => {
    await read();
    live = 1;
    now = 1_500;
    expect(await read()).to.equal(0);
    expect(questions).to.equal(2);
    await new Promise(setImmediate);
    expect(await read()).to.equal(1);
    live = 2;
    now = 8_000;
    expect(await read()).to.equal(2);
  });

  it('is never used once the old generation may have been dropped', async () => {
    await read();
    live = 1;
    const seen: number[] = [];
    const result = await reader.read(async ({ number }) => {
      seen.push(number);
      // The process was suspended between the request and the answer.
      if (number === 0) now += retirementMs - 1;
      return number;
    }, present);
    expect([result, seen]).to.eql([1, [0, 1]]);
  });

  it('is that of the latest request, in whatever order answers arrive', async () => {
    const answers: ((generation: number) => void)[] = [];
    const slow = new LiveGeneration({
      readProgress: () =>
        new Promise((resolve) =>
          answers.push((generation) => resolve({ _id: 'projector', term: 1, generation })),
        ),
      generation: (number) => ({ number }) as ViewGeneration,
      now: () => now,
    });
    const first = slow.checkpoint();
    now = 1;
    const second = slow.checkpoint();
    answers[1]?.(5);
    await second;
    answers[0]?.(4);
    await first;
    expect(await slow.read(async ({ number }) => number, present)).to.equal(5);
  });

  it('is the first one where the progress names none', async () => {
    const empty = new LiveGeneration({
      readProgress: async () => ({ _id: 'projector', term: 1 }),
      generation: (number) => ({ number }) as ViewGeneration,
      now: () => now,
    });
    expect(await empty.read(async ({ number }) => number, present)).to.equal(0);
    expect(await empty.checkpoint()).to.equal(undefined);
  });

  for (const [what, progress] of [
    ['there is no progress', undefined],
    ['the documents are being filled', { _id: 'projector', term: 1, position: '1', isFilling: true }],
  ] as const)
    it(`is not read while ${what}`, async () => {
      let found: Progress | undefined = progress;
      const lost = new LiveGeneration({
        readProgress: async () => found,
        generation: (number) => ({ number }) as ViewGeneration,
        now: () => now,
      });
      const rejected = await lost.read(async () => 1, present).catch((error: unknown) => error);
      expect(rejected).to.be.instanceOf(EngineUnavailable);
      found = { _id: 'projector', term: 1 };
      expect(await lost.read(async () => 1, present)).to.equal(1);
    });

  it('does not pass the emptiness of a database that was dropped a moment ago for absence', async () => {
    let progress: Progress | undefined = { _id: 'projector', term: 1 };
    const reading = new LiveGeneration({
      readProgress: async () => progress,
      generation: (number) => ({ number }) as ViewGeneration,
      now: () => now,
    });
    const find = () =>
      reading.read(
        async (): Promise<undefined> => undefined,
        () => true,
      );
    expect(await find()).to.equal(undefined);
    progress = undefined;
    expect(await find().catch((error: unknown) => error)).to.be.instanceOf(EngineUnavailable);
  });
});

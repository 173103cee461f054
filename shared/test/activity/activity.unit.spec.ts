import { expect } from 'chai';
import { ManualClock } from '@roomwire/testing/fakes/manualClock';
import { silentLogger } from '@roomwire/testing/fakes/loggers';
import { eventually } from '@roomwire/testing/run/eventually';
import { Activity, minuteAt, minuteMs } from '../../src/activity/activity.js';
import { knownMinutes } from '../../src/activity/knownMinutes.js';
import type {
  ActivityFound,
  ActivityStore,
  ActivityWriter,
  MinuteAccount,
} from '../../src/ports/activityStore.js';

const start = Date.parse('2026-05-01T12:00:00.000Z');
const first = minuteAt(start);

/** Keeps the accounts, and fails while it is away. */
class MemoryStore implements ActivityStore {
  isAway = false;
  readonly writers = new Map<string, ActivityWriter>();
  private readonly accounts = new Map<string, MinuteAccount>();

  async note(accounts: readonly MinuteAccount[], writer: ActivityWriter): Promise<void> {
    if (this.isAway) throw new Error('away');
    for (const account of accounts) this.accounts.set(`${writer.writer} ${account.minute}`, account);
    this.writers.set(writer.writer, writer);
  }

  found(projectId = 'p1'): ActivityFound {
    const accounts = [...this.accounts.values()].flatMap(({ minute, projects }) => {
      const counts = projects.get(projectId);
      return counts === undefined ? [] : [{ minute, counts }];
    });
    return { writers: [...this.writers.values()], accounts };
  }

  find = async () => this.found();
  prune = async () => undefined;
  close = async () => undefined;
}

describe('the activity of projects', () => {
  let clock: ManualClock;
  let store: MemoryStore;
  let names: number;
  const running: Activity[] = [];

  beforeEach(() => {
    [clock, store, names] = [new ManualClock(start), new MemoryStore(), 0];
  });
  afterEach(async () => {
    await Promise.all(running.splice(0).map((activity) => activity.close()));
  });

  const count = (): Activity => {
    const random = { uuid: () => `w${++names}` };
    const activity = new Activity({ store, clock, random, logger: silentLogger, lookMs: 1 });
    running.push(activity);
    return activity;
  };
  const known = (minutes: number, from = first) => knownMinutes({ from, to: from + minutes }, store.found());
  const messagesIn = (minutes: number) => known(minutes).map((counts) => counts?.[1] ?? null);
  /** Resolves when every writer has told of all minutes until now. */
  const told = (writers = names) =>
    eventually(
      () =>
        store.writers.size >= writers &&
        [...store.writers.values()].every(
          ({ upTo, hasEnded }) => hasEnded || upTo === minuteAt(clock.now()) - 1,
        ),
    );
  const passMinute = async () => {
    clock.pass(minuteMs);
    await told();
  };

  it('is told by each process, minute by minute, and added up', async () => {
    const [one, two] = [count(), count()];
    one.connectionsBy(() => [['p1', 3]]);
    one.add('p1', 'messagesIn');
    one.add('p2', 'messagesIn', 5);
    two.add('p1', 'messagesIn', 2);
    two.add('p1', 'refusals');
    await passMinute();
    two.add('p1', 'messagesOut', 7);
    await passMinute();
    expect(known(2)).to.deep.equal([
      [3, 3, 0, 0, 0, 1],
      [3, 0, 7, 0, 0, 0],
    ]);
  });

  it('is not known before all have told, where nobody counted, and where a process was killed', async () => {
    const one = count();
    await told();
    expect(messagesIn(1)).to.deep.equal([null]);
    one.add('p1', 'messagesIn');
    await passMinute();
    expect(
      knownMinutes({ from: first - 1, to: first + 1 }, store.found()).map((counts) => counts?.[1]),
    ).to.deep.equal([undefined, 1]);
    // Another one that has told of this minute, and never tells again.
    await store.note([], { writer: 'killed', from: first - 5, upTo: first, missing: [], hasEnded: false });
    for (let minute = 0; minute < 4; minute += 1) {
      one.add('p1', 'messagesIn');
      clock.pass(minuteMs);
      await eventually(() => store.writers.get('w1')?.upTo === minuteAt(clock.now()) - 1);
    }
    expect(messagesIn(5)).to.deep.equal([1, null, null, 1, 1]);
  });

  it('tells the rest when a process ends, of which the next one goes on', async () => {
    const one = count();
    one.add('p1', 'messagesIn');
    await one.close();
    const two = count();
    two.add('p1', 'messagesIn', 2);
    await passMinute();
    expect(messagesIn(1)).to.deep.equal([3]);
  });

  it('is told later where the store was away, and is missing where that was too long', async () => {
    const one = count();
    await passMinute();
    store.isAway = true;
    for (let minute = 0; minute < 33; minute += 1) {
      one.add('p1', 'messagesIn');
      const before = minuteAt(clock.now());
      clock.pass(minuteMs);
      // It has looked at the clock when the next count is of another minute.
      await eventually(() => (one as unknown as { minute: number }).minute > before);
    }
    store.isAway = false;
    await told();
    expect(messagesIn(34)).to.deep.equal([0, null, null, null, ...Array.from({ length: 30 }, () => 1)]);
  });

  it('is not known of minutes in which the process was stopped', async () => {
    const one = count();
    one.add('p1', 'messagesIn');
    clock.pass(3 * minuteMs);
    await told();
    expect(messagesIn(3)).to.deep.equal([1, null, null]);
  });
});

import { expect } from 'chai';
import { Line, type Receiver } from '../../src/fanout/line.js';
import { LineMemory } from '../../src/fanout/lineMemory.js';

const turn = () => new Promise(setImmediate);

class Listener implements Receiver {
  lastGiven = 0;
  readonly got: number[] = [];
}

/** A line of numbers to listeners that come and go. */
class Stage {
  readonly listeners = new Set<Listener>();
  readonly ended: number[] = [];
  readonly reached: unknown[] = [];
  given = 0;
  /** Visited in this turn. */
  visits = 0;
  readonly memory: LineMemory;
  readonly line: Line<Listener, number>;

  constructor({ count = 100, stepsInATurn = 10, most = 1_000 } = {}) {
    for (let one = 0; one < count; one += 1) this.listeners.add(new Listener());
    this.memory = new LineMemory(
      { reached: (limit, fields) => this.reached.push({ limit, ...fields }) },
      most,
    );
    this.line = new Line<Listener, number>({
      ...{ stepsInATurn, memory: this.memory, projectId: 'project' },
      receivers: () => this.visited(),
      give: ({ got }, item) => got.push(item) > 0,
      sizeOf: () => 100,
      given: (items) => (this.given += items),
      ended: (item) => this.ended.push(item),
    });
  }

  get all(): readonly Listener[] {
    return [...this.listeners];
  }

  join(): Listener {
    const listener = new Listener();
    this.line.join(listener);
    this.listeners.add(listener);
    return listener;
  }

  leave(listener: Listener): void {
    this.line.catchUp(listener);
    this.listeners.delete(listener);
  }

  async untilIdle(eachTurn: () => void = () => undefined): Promise<void> {
    while (this.line.isBusy) {
      this.visits = 0;
      await turn();
      eachTurn();
    }
  }

  private *visited(): Iterable<Listener> {
    for (const listener of this.listeners) {
      this.visits += 1;
      yield listener;
    }
  }
}

describe('a line', () => {
  it('gives an item to a part of its receivers in a turn of the event loop', async () => {
    const stage = new Stage();
    stage.line.add(1);
    expect(stage.given).to.equal(0);
    await stage.untilIdle(() => expect(stage.visits).to.be.at.most(10));
    for (const { got } of stage.all) expect(got).to.deep.equal([1]);
    expect(stage.given).to.equal(100);
    expect(stage.ended).to.deep.equal([1]);
    expect(stage.memory.bytes).to.equal(0);
  });

  it('gives each receiver what has come meanwhile, in order and once', async () => {
    const stage = new Stage();
    let added = 0;
    stage.line.add((added += 1));
    await stage.untilIdle(() => {
      if (added < 5) stage.line.add((added += 1));
    });
    for (const { got } of stage.all) expect(got).to.deep.equal([1, 2, 3, 4, 5]);
    expect(stage.ended).to.deep.equal([1, 2, 3, 4, 5]);
  });

  it('gives those that leave what has come before, and those that come what follows', async () => {
    const stage = new Stage();
    stage.line.add(1);
    await turn();
    const last = stage.all.at(-1) as Listener;
    stage.leave(last);
    expect(last.got).to.deep.equal([1]);
    const late = stage.join();
    stage.line.add(2);
    await stage.untilIdle();
    expect(last.got).to.deep.equal([1]);
    expect(late.got).to.deep.equal([2]);
    for (const { got } of stage.all.slice(0, -1)) expect(got).to.deep.equal([1, 2]);
  });

  it('gives everything at once where more waits than there is memory for, and says whose it was', async () => {
    const stage = new Stage({ most: 300 });
    for (const item of [1, 2, 3]) stage.line.add(item);
    expect(stage.given).to.equal(0);
    stage.line.add(4);
    for (const { got } of stage.all) expect(got).to.deep.equal([1, 2, 3, 4]);
    expect(stage.memory.bytes).to.equal(0);
    expect(stage.reached).to.deep.equal([{ limit: 'fanOutMemory', projectId: 'project' }]);
    stage.line.add(5);
    await stage.untilIdle();
    for (const { got } of stage.all) expect(got).to.deep.equal([1, 2, 3, 4, 5]);
  });

  it('is over where everybody leaves', async () => {
    const stage = new Stage();
    stage.line.add(1);
    for (const listener of stage.all) stage.leave(listener);
    await stage.untilIdle();
    expect(stage.ended).to.deep.equal([1]);
    expect(stage.given).to.equal(100);
  });
});

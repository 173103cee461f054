import { setImmediate as turn } from 'node:timers/promises';
import { expect } from 'chai';
import fc from 'fast-check';
import { roomRecords } from '@roomwire/shared/wire/bus/roomRecord';
import type { Channel } from '@roomwire/shared/wire/bus/channel';
import { eventually } from '@roomwire/testing/run/eventually';
import { GroupNode, messageOf, type Worker } from '../support/groupNode.js';
import { ManualClock } from '@roomwire/testing/fakes/manualClock';
import { SimulatedBus, type BusPort } from '../support/simulatedBus.js';
import { anyOne, at, happenings, heal, stepsOf, type Step } from '../support/simulatedSteps.js';

/** Gateways with workers, and what was published for them. */
class Cluster {
  readonly clock = new ManualClock();
  readonly nodes: GroupNode[] = [];
  readonly all: GroupNode[] = [];
  /** The messages that were published while a member had to get them. */
  readonly due: string[] = [];
  private readonly bus = new SimulatedBus();
  private published = 0;

  async start(): Promise<GroupNode> {
    const node = new GroupNode(`gateway-${this.all.length}`, this.bus, this.clock, {
      messages: 1_000,
      bytes: 1_000_000,
    });
    this.all.push(node);
    this.nodes.push(node);
    await node.start();
    return node;
  }

  get alive(): readonly GroupNode[] {
    return this.nodes;
  }

  get workers(): readonly Worker[] {
    return this.nodes.flatMap((node) => [...node.workers]);
  }

  /** Workers that keep the group alive. */
  get entered(): readonly Worker[] {
    return this.workers.filter(({ hasEntered, isOver }) => hasEntered && !isOver);
  }

  publish(fields: Parameters<typeof messageOf>[1] = {}): string {
    const id = `m${String(++this.published).padStart(4, '0')}`;
    const { publisher } = fields;
    if (this.entered.some(({ actorTokenId }) => actorTokenId !== publisher)) this.due.push(id);
    this.bus.append(roomRecords as Channel<unknown>, messageOf(id, fields));
    return id;
  }

  /** Ids begin with the time, as those of gateways do. */
  idAt(ms: number): string {
    return `${(this.clock.now() + ms).toString(36).padStart(9, '0')}.x`;
  }

  get acked(): readonly string[] {
    return this.all.flatMap((node) => node.acked);
  }

  async kill(node: GroupNode): Promise<void> {
    this.nodes.splice(this.nodes.indexOf(node), 1);
    await node.port.close();
    for (const worker of node.workers) worker.isOver = true;
    await node.groups.close();
  }

  async move(choice: number): Promise<void> {
    this.bus.move(choice);
    await turn();
  }

  async second(): Promise<void> {
    this.clock.pass(1_000);
    for (const node of this.nodes) node.second();
    await turn();
  }

  /** Delivers everything that is on the bus. */
  async settle(): Promise<void> {
    let quiet = 0;
    await eventually(async () => {
      for (let moved = 0; this.bus.move(moved); moved++) {
        quiet = 0;
        if (moved % 16 === 0) await turn();
      }
      await turn();
      return ++quiet > 2;
    });
  }

  async calm(seconds: number): Promise<void> {
    for (let second = 0; second < seconds; second++) {
      await this.settle();
      await this.second();
    }
    await this.settle();
  }

  /** [WS-GROUP-4] All faults end, all gateways notice, and all messages are acknowledged. */
  async workOff(seconds: number): Promise<void> {
    heal(this);
    await this.calm(seconds);
    for (let round = 0; round < 5; round++) {
      for (const worker of this.workers) worker.node.ack(worker);
      await this.settle();
    }
  }

  async close(): Promise<void> {
    for (const node of [...this.nodes]) await this.kill(node);
  }
}

const actors = ['ann', 'ben', 'cem', 'dan'];

/** With workers of so many actors. */
const enteringOf = (kinds: number): fc.Arbitrary<Step<Cluster>> =>
  fc
    .tuple(anyOne, fc.nat(kinds - 1), fc.boolean())
    .map(([choice, actor, acks]): Step<Cluster> => async (cluster) => {
      const node = at(cluster.nodes, choice);
      if (cluster.workers.length >= 6 || node === undefined || node.port.isFrozen) return;
      node.enter({ actorTokenId: actors[actor] as string, acks });
      await turn();
    });
const entering = enteringOf(actors.length);
/** Only while another worker stays. */
const leaving = anyOne.map((choice): Step<Cluster> => async (cluster) => {
  const worker = at(
    cluster.workers.filter(({ node }) => !node.port.isFrozen),
    choice,
  );
  if (worker && cluster.entered.some((other) => other !== worker)) worker.node.leave(worker);
  await turn();
});
const publishing = fc.constant<Step<Cluster>>(async (cluster) => void cluster.publish());
/** By the first actor, whose workers are not eligible. */
const publishingOwn = fc.constant<Step<Cluster>>(
  async (cluster) => void cluster.publish({ publisher: actors[0] as string }),
);
const acking = anyOne.map((choice): Step<Cluster> => async (cluster) => {
  const worker = at(
    cluster.workers.filter(({ node }) => !node.port.isFrozen),
    choice,
  );
  worker?.node.ack(worker);
});
const killing = anyOne.map((choice): Step<Cluster> => async (cluster) => {
  const node = at(cluster.nodes, choice);
  if (node && cluster.entered.some((other) => other.node !== node)) await cluster.kill(node);
});
const longTime = fc.constant<Step<Cluster>>((cluster) => cluster.calm(15));
/** Longer than the others wait for a sign of life: its gateway is paused, or cannot reach the bus. */
const vanishing = fc
  .tuple(anyOne, fc.constantFrom<Partial<BusPort>>({ isFrozen: true }, { cut: 'refused' }))
  .map(([choice, how]): Step<Cluster> => async (cluster) => {
    const { port } = at(cluster.nodes, choice) as GroupNode;
    Object.assign(port, how);
    await cluster.calm(16);
    cluster.publish({ publisher: actors[0] as string });
    cluster.publish();
    Object.assign(port, { isFrozen: false, cut: 'no' });
  });
const starting = fc.constant<Step<Cluster>>(async (cluster) => {
  if (cluster.nodes.length < 3) await cluster.start();
});

const { moving, cutting, freezing, seconds } = happenings<Cluster>();

/** Runs the steps on three gateways, with a worker on the first one from the beginning. */
const run = async (steps: readonly Step<Cluster>[]): Promise<Cluster> => {
  const cluster = new Cluster();
  for (let node = 0; node < 3; node++) await cluster.start();
  await cluster.calm(4);
  cluster.nodes[0]?.enter({ actorTokenId: 'eve' });
  await cluster.calm(1);
  for (const step of steps) await step(cluster);
  return cluster;
};

const counted = (ids: readonly string[]): ReadonlyMap<string, number> => {
  const counts = new Map<string, number>();
  for (const id of ids) counts.set(id, (counts.get(id) ?? 0) + 1);
  return counts;
};

/** Whatever the steps are, all messages are acknowledged in the end, with the expected outcome. */
const always = (
  steps: fc.Arbitrary<Step<Cluster>[]>,
  secondsAfter: number,
  comesOut: (times: ReadonlyMap<string, number>, due: readonly string[]) => void,
): Promise<void> =>
  fc.assert(
    fc.asyncProperty(steps, async (given) => {
      const cluster = await run(given);
      await cluster.workOff(secondsAfter);
      comesOut(counted(cluster.acked), cluster.due);
      await cluster.close();
    }),
    { seed: 64, numRuns: 40 },
  );

const nothingIsLost = (times: ReadonlyMap<string, number>, due: readonly string[]): void => {
  expect(due.filter((id) => !times.has(id))).to.deep.equal([]);
};

const work = [
  [8, publishing],
  [4, acking],
  [24, moving],
] as const;

describe('worker groups on many gateways', () => {
  it('[WS-GROUP-2] deliver each message exactly once while members join and leave, without faults', () =>
    always(stepsOf(120, [3, entering], [2, leaving], ...work), 3, (times, due) => {
      expect([...times.keys()].sort()).to.deep.equal(due);
      expect([...times.values()].every((each) => each === 1)).to.equal(true);
    })).timeout(120_000);

  it('[WS-GROUP-4] lose no message when gateways die, are cut off and start', () => {
    const faults = [
      [2, cutting],
      [3, seconds],
      [1, killing],
      [1, starting],
    ] as const;
    return always(stepsOf(120, [4, entering], [2, leaving], ...work, ...faults), 50, nothingIsLost);
  }).timeout(120_000);

  it('[WS-GROUP-4] lose no message when gateways are paused and continue', () =>
    always(stepsOf(120, [4, entering], ...work, [2, freezing], [1, longTime]), 50, nothingIsLost)).timeout(
    120_000,
  );

  it('[WS-GROUP-4] lose no message that only members of a gateway may have that counts as dead meanwhile', () => {
    const steps = stepsOf(
      30,
      [1, enteringOf(1)],
      [3, publishingOwn],
      [6, moving],
      [2, acking],
      [4, vanishing],
    );
    const begin: Step<Cluster> = async (cluster) => {
      cluster.nodes[1]?.enter({ actorTokenId: actors[0] as string });
      await cluster.calm(1);
    };
    return always(
      steps.map((given) => [begin, ...given]),
      25,
      nothingIsLost,
    );
  }).timeout(120_000);

  it('[WS-GROUP-4] deliver nothing twice on a gateway that was paused for long', async () => {
    const cluster = await run([]);
    const [first, second] = cluster.nodes as [GroupNode, GroupNode];
    const [eve] = first.workers as unknown as [Worker];
    const ann = second.enter({ actorTokenId: 'ann' });
    await cluster.calm(1);
    first.port.isFrozen = true;
    const ids = Array.from({ length: 20 }, () => cluster.publish());
    await cluster.calm(30);
    expect([...ann.got].sort()).to.deep.equal(ids);
    first.port.isFrozen = false;
    await cluster.calm(10);
    expect(eve.got).to.deep.equal([]);
    const more = Array.from({ length: 20 }, () => cluster.publish());
    await cluster.calm(1);
    expect([...eve.got, ...ann.got.slice(20)].sort()).to.deep.equal(more);
    expect(eve.got).to.have.length(10);
    await cluster.close();
  });

  it('[WS-GROUP-4] deliver nothing twice that was assigned to a member whose gateway was paused for long', async () => {
    const cluster = await run([]);
    const [first, second] = cluster.nodes as [GroupNode, GroupNode];
    const [eve] = first.workers as unknown as [Worker];
    const ann = second.enter({ actorTokenId: 'ann' });
    await cluster.calm(1);
    second.port.isFrozen = true;
    const ids = Array.from({ length: 20 }, () => cluster.publish());
    await cluster.settle();
    expect(eve.got).to.have.length(10);
    await cluster.calm(30);
    expect([...eve.got].sort()).to.deep.equal(ids);
    second.port.isFrozen = false;
    await cluster.calm(10);
    expect(ann.got).to.deep.equal([]);
    await cluster.close();
  });

  it('[WS-GROUP-4] deliver the messages of a dead gateway to the others within 15 s', async () => {
    const cluster = await run([]);
    const [first, second] = cluster.nodes as [GroupNode, GroupNode];
    const [ann, ben] = ['ann', 'ben'].map((actorTokenId) => second.enter({ actorTokenId, acks: true }));
    const cem = first.enter({ actorTokenId: 'cem', acks: true });
    await cluster.calm(1);
    const ids = Array.from({ length: 30 }, () => cluster.publish());
    await cluster.settle();
    expect(cem.got).to.not.deep.equal([]);
    await cluster.kill(first);
    await cluster.calm(15);
    const rest = [...(ann as Worker).got, ...(ben as Worker).got, ...first.acked];
    expect([...new Set(rest)].sort()).to.deep.equal(ids);
    await cluster.close();
  });

  it('[WS-GROUP-4] deliver to a member that joins while the leader dies that would have sent the snapshot', async () => {
    const cluster = await run([]);
    const [first, second, third] = cluster.nodes as [GroupNode, GroupNode, GroupNode];
    const ann = second.enter({ actorTokenId: 'ann', acks: true });
    await cluster.calm(1);
    const ids = Array.from({ length: 10 }, () => cluster.publish());
    await cluster.settle();
    first.port.isFrozen = true;
    const late = third.enter({ actorTokenId: 'late', acks: true });
    await cluster.settle();
    expect(late.hasEntered).to.equal(false);
    await cluster.kill(first);
    await cluster.calm(16);
    expect(late.hasEntered).to.equal(true);
    second.leave(ann);
    await cluster.settle();
    expect([...new Set([...late.got, ...first.acked])].sort()).to.deep.equal(ids);
    await cluster.close();
  });

  it('[WS-GROUP-4] are handed over by a paused gateway when another one has bootstrapped the group without it', async () => {
    const cluster = await run([]);
    const [first, second] = cluster.nodes as [GroupNode, GroupNode];
    first.leave([...first.workers][0] as Worker);
    const ann = first.enter({ actorTokenId: 'ann', acks: true });
    await cluster.calm(1);
    const ids = Array.from({ length: 5 }, () => cluster.publish());
    await cluster.settle();
    expect(ann.got).to.deep.equal(ids);
    first.port.isFrozen = true;
    const late = second.enter({ actorTokenId: 'late', acks: true });
    await cluster.calm(18);
    expect(late.hasEntered).to.equal(true);
    first.port.isFrozen = false;
    await cluster.calm(5);
    first.leave(ann);
    await cluster.settle();
    expect([...late.got].sort()).to.deep.equal(ids);
    await cluster.close();
  });

  it('[WS-GROUP-2] deliver a message once when the bus has delivered it twice', async () => {
    const cluster = await run([]);
    const ann = cluster.nodes[1]?.enter({ actorTokenId: 'ann' }) as Worker;
    await cluster.calm(1);
    const id = cluster.idAt(0);
    for (let n = 0; n < 4; n++) {
      cluster.publish({ id });
      await cluster.settle();
    }
    const [eve] = cluster.workers as [Worker];
    expect([...eve.got, ...ann.got]).to.deep.equal([id]);
    await cluster.close();
  });

  it('[WS-GROUP-2] deliver to the least loaded member first', async () => {
    const cluster = await run([]);
    const [first, second] = cluster.nodes as [GroupNode, GroupNode];
    first.leave([...first.workers][0] as Worker);
    const slow = first.enter({ actorTokenId: 'slow', acks: true });
    const fast = second.enter({ actorTokenId: 'fast', acks: true });
    await cluster.calm(1);
    for (let n = 0; n < 20; n++) {
      cluster.publish();
      await cluster.settle();
      second.ack(fast);
      await cluster.settle();
    }
    expect(slow.got).to.have.length(1);
    expect(fast.got).to.have.length(19);
    await cluster.close();
  });
});

import { setImmediate as turn } from 'node:timers/promises';
import { expect } from 'chai';
import fc from 'fast-check';
import { roomRecords } from '@roomwire/shared/contracts/bus/roomRecord';
import type { Channel } from '@roomwire/shared/ports/messageBus';
import { eventually } from '@roomwire/shared/testing/eventually';
import { GroupNode, messageOf, type Worker } from '../support/groupNode.js';
import { ManualClock } from '../support/manualClock.js';
import { SimulatedBus, type Cut } from '../support/simulatedBus.js';

/** Gateways with workers, and what was published for them. */
class Cluster {
  readonly clock = new ManualClock();
  readonly nodes: GroupNode[] = [];
  readonly all: GroupNode[] = [];
  /** Published while somebody was there who had to get it. */
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

  get workers(): readonly Worker[] {
    return this.nodes.flatMap((node) => [...node.workers]);
  }

  /** Workers that hold the group together, on gateways that run. */
  get pillars(): readonly Worker[] {
    return this.workers.filter(
      ({ node, hasEntered, isOver }) => hasEntered && !isOver && !node.port.isFrozen,
    );
  }

  publish(fields: Parameters<typeof messageOf>[1] = {}): string {
    const id = `m${String(++this.published).padStart(4, '0')}`;
    if (this.pillars.length > 0) this.due.push(id);
    this.bus.append(roomRecords as Channel<unknown>, messageOf(id, fields));
    return id;
  }

  /** As gateways make them: they begin with the time. */
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

  /** Everything that can come does. */
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

  async workOff(): Promise<void> {
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

type Step = (cluster: Cluster) => Promise<void>;

const any = fc.nat(1_000);
const at = <T>(items: readonly T[], choice: number): T | undefined =>
  items[choice % Math.max(1, items.length)];

const entering = fc
  .tuple(any, fc.nat(3), fc.boolean())
  .map(([choice, actor, acks]): Step => async (cluster) => {
    const node = at(cluster.nodes, choice);
    if (cluster.workers.length >= 6 || node === undefined || node.port.isFrozen) return;
    node.enter({ actorTokenId: actors[actor] as string, acks });
    await turn();
  });
/** Only while somebody else goes on. */
const leaving = any.map((choice): Step => async (cluster) => {
  const worker = at(
    cluster.workers.filter(({ node }) => !node.port.isFrozen),
    choice,
  );
  if (worker && cluster.pillars.some((other) => other !== worker)) worker.node.leave(worker);
  await turn();
});
const publishing = fc.constant<Step>(async (cluster) => void cluster.publish());
const acking = any.map((choice): Step => async (cluster) => {
  const worker = at(
    cluster.workers.filter(({ node }) => !node.port.isFrozen),
    choice,
  );
  worker?.node.ack(worker);
});
const moving = any.map(
  (choice): Step =>
    (cluster) =>
      cluster.move(choice),
);
const seconds = fc.constant<Step>((cluster) => cluster.second());
const cutting = fc
  .tuple(any, fc.constantFrom<Cut>('no', 'no', 'refused', 'stored, and refused'))
  .map(([choice, cut]): Step => async (cluster) => {
    const node = at(cluster.nodes, choice);
    if (node) node.port.cut = cut;
  });
const killing = any.map((choice): Step => async (cluster) => {
  const node = at(cluster.nodes, choice);
  if (node && cluster.pillars.some((other) => other.node !== node)) await cluster.kill(node);
});
const freezing = fc.tuple(any, fc.boolean()).map(([choice, isFrozen]): Step => async (cluster) => {
  const node = at(cluster.nodes, choice);
  if (node) node.port.isFrozen = isFrozen;
});
const longTime = fc.constant<Step>((cluster) => cluster.calm(15));
const starting = fc.constant<Step>(async (cluster) => {
  if (cluster.nodes.length < 3) await cluster.start();
});

const heal = (cluster: Cluster): void => {
  for (const { port } of cluster.nodes) Object.assign(port, { cut: 'no', isFrozen: false });
};

/** Runs the steps on three gateways with a worker on the first, who is there from the beginning. */
const run = async (steps: readonly Step[]): Promise<Cluster> => {
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

const settings = { seed: 64, numRuns: 40 };

describe('worker groups on many gateways', () => {
  it('[WS-GROUP-2] do each message exactly once while members come and go, without faults', async () => {
    const steps = fc.array(
      fc.oneof(
        { weight: 3, arbitrary: entering },
        { weight: 2, arbitrary: leaving },
        { weight: 8, arbitrary: publishing },
        { weight: 4, arbitrary: acking },
        { weight: 24, arbitrary: moving },
      ),
      { maxLength: 120 },
    );
    await fc.assert(
      fc.asyncProperty(steps, async (given) => {
        const cluster = await run(given);
        await cluster.calm(3);
        await cluster.workOff();
        const counts = counted(cluster.acked);
        expect([...counts.keys()].sort()).to.deep.equal(cluster.due);
        expect([...counts.values()].every((times) => times === 1)).to.equal(true);
        await cluster.close();
      }),
      settings,
    );
  }).timeout(120_000);

  it('[WS-GROUP-4] lose no message when gateways die, are cut off and start', async () => {
    const steps = fc.array(
      fc.oneof(
        { weight: 4, arbitrary: entering },
        { weight: 2, arbitrary: leaving },
        { weight: 8, arbitrary: publishing },
        { weight: 4, arbitrary: acking },
        { weight: 24, arbitrary: moving },
        { weight: 2, arbitrary: cutting },
        { weight: 3, arbitrary: seconds },
        { weight: 1, arbitrary: killing },
        { weight: 1, arbitrary: starting },
      ),
      { maxLength: 120 },
    );
    await fc.assert(
      fc.asyncProperty(steps, async (given) => {
        const cluster = await run(given);
        heal(cluster);
        await cluster.calm(50);
        await cluster.workOff();
        const counts = counted(cluster.acked);
        expect(cluster.due.filter((id) => !counts.has(id))).to.deep.equal([]);
        await cluster.close();
      }),
      settings,
    );
  }).timeout(120_000);

  it('[WS-GROUP-4] lose no message when gateways stand still and go on', async () => {
    const steps = fc.array(
      fc.oneof(
        { weight: 4, arbitrary: entering },
        { weight: 8, arbitrary: publishing },
        { weight: 4, arbitrary: acking },
        { weight: 24, arbitrary: moving },
        { weight: 2, arbitrary: freezing },
        { weight: 1, arbitrary: longTime },
      ),
      { maxLength: 120 },
    );
    await fc.assert(
      fc.asyncProperty(steps, async (given) => {
        const cluster = await run(given);
        heal(cluster);
        await cluster.calm(50);
        await cluster.workOff();
        const counts = counted(cluster.acked);
        expect(cluster.due.filter((id) => !counts.has(id))).to.deep.equal([]);
        await cluster.close();
      }),
      settings,
    );
  }).timeout(120_000);

  it('[WS-GROUP-4] a gateway that stood still for long gives nobody what the others have got meanwhile', async () => {
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

  it('[WS-GROUP-4] what a dead gateway had comes to the others within 15 s', async () => {
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

  it('[WS-GROUP-4] come to somebody who joins just when the one dies who would have told it everything', async () => {
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

  it('[WS-GROUP-4] are handed over by a gateway that comes back when another one has begun anew without it', async () => {
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

  it('[WS-GROUP-2] are given once when the bus has brought them twice', async () => {
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

  it('[WS-GROUP-2] go to the least loaded first', async () => {
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

import { setImmediate as turn } from 'node:timers/promises';
import { expect } from 'chai';
import { roomOfTopic } from '@roomwire/shared/domain/topic';
import type { GroupCommand } from '@roomwire/shared/wire/bus/groupRecord';
import { roomRecords } from '@roomwire/shared/wire/bus/roomRecord';
import type { Channel } from '@roomwire/shared/wire/bus/channel';
import { eventually } from '@roomwire/testing/run/eventually';
import { ManualClock } from '@roomwire/testing/fakes/manualClock';
import { GroupMachine } from '../../src/groups/machine/groupMachine.js';
import { GroupNode, messageOf, room, topic, type Worker } from '../support/groupNode.js';
import { SimulatedBus } from '../support/simulatedBus.js';

const bounds = { messages: 10_000, bytes: 64 * 1024 * 1024 };
const loud = 'loud/app/_/room/work';
const quiet = 'quiet/app/_/room/work';

/** Gateways with different budgets on one bus. */
class Gateways {
  readonly nodes: GroupNode[] = [];
  private readonly bus = new SimulatedBus();
  private readonly clock = new ManualClock();
  private published = 0;

  async start(...budgets: readonly number[]): Promise<void> {
    for (const budget of budgets) {
      const node = new GroupNode(`gateway-${this.nodes.length}`, this.bus, this.clock, bounds, budget);
      this.nodes.push(node);
      await node.start();
    }
    await this.settle();
  }

  publish(topic: string, bytes = 1_000): string {
    const id = `m${String(++this.published).padStart(4, '0')}`;
    const fields = { topic, room: roomOfTopic(topic), body: new Uint8Array(bytes) };
    this.bus.append(roomRecords as Channel<unknown>, messageOf(id, fields));
    return id;
  }

  async settle(): Promise<void> {
    let quietTurns = 0;
    await eventually(async () => {
      for (let moved = 0; this.bus.move(moved); moved++) {
        quietTurns = 0;
        if (moved % 64 === 0) await turn();
      }
      await turn();
      return ++quietTurns > 2;
    });
  }

  async close(): Promise<void> {
    for (const node of this.nodes) {
      await node.port.close();
      await node.groups.close();
    }
  }
}

describe('the memory of worker groups', () => {
  let gateways: Gateways;

  beforeEach(() => void (gateways = new Gateways()));
  afterEach(() => gateways.close());

  const enter = (node: GroupNode, topic: string, group: string): Worker =>
    node.enter({ actorTokenId: `${group} of ${topic}`, acks: true, group, topic });

  it('[WS-GROUP-11] [WS-MEM-1] stays within the budget where one project has many groups, at no cost of another project', async () => {
    await gateways.start(500_000);
    const [node] = gateways.nodes as [GroupNode];
    const neighbour = enter(node, quiet, 'g');
    for (let group = 0; group < 64; group++) enter(node, loud, `g${group}`);
    await gateways.settle();
    const kept = Array.from({ length: 20 }, () => gateways.publish(quiet));
    for (let n = 0; n < 100; n++) gateways.publish(loud);
    await gateways.settle();
    expect(node.memory.bytes).to.be.within(400_000, 500_000);
    expect(node.metrics.groupMessagesDropped).to.be.greaterThan(5_000);

    const next = enter(node, quiet, 'g');
    await gateways.settle();
    node.leave(neighbour);
    await gateways.settle();
    expect(next.got).to.deep.equal(kept);
    for (const worker of [...node.workers]) node.leave(worker);
    await gateways.settle();
    expect(node.memory.bytes).to.equal(0);
  });

  it('[WS-GROUP-11] leaves the same messages on all gateways, whatever memory each of them has', async () => {
    await gateways.start(500_000, Number.POSITIVE_INFINITY);
    const [small, large] = gateways.nodes as [GroupNode, GroupNode];
    for (let group = 0; group < 16; group++)
      for (const node of gateways.nodes) enter(node, loud, `g${group}`);
    await gateways.settle();
    const ids = Array.from({ length: 100 }, () => gateways.publish(loud));
    await gateways.settle();
    expect(small.memory.bytes).to.be.within(300_000, 500_000);
    expect(large.memory.bytes).to.equal(small.memory.bytes);
    expect(large.groups.messages).to.equal(small.groups.messages);
    expect(small.metrics.groupMessagesDropped).to.equal(1_600 - small.groups.messages);
    expect(large.metrics.groupMessagesDropped).to.equal(0);

    // What is left is the newest, and still given to whoever takes over.
    for (const worker of [...small.workers]) small.leave(worker);
    await gateways.settle();
    for (const { got } of large.workers) expect(got).to.include(ids.at(-1));
    for (const worker of large.workers) large.ack(worker);
    await gateways.settle();
    expect(large.memory.bytes).to.equal(0);
  });

  it('[WS-GROUP-11] drops what is buffered for a snapshot on all gateways as well', () => {
    const appended: GroupCommand[] = [];
    const machine = new GroupMachine(
      { gatewayId: 'late', bounds, lastNumber: 0, mayHaveBacklog: false },
      {
        append: (command) => void appended.push(command),
        replayBacklog: () => undefined,
        emptied: () => undefined,
        collectsNoMore: () => undefined,
        dropped: () => undefined,
        idle: () => undefined,
      },
    );
    machine.announced(['other/1']);
    machine.join({
      ...{ number: 0, actorTokenId: 'ann', filters: undefined, acks: true, isPersistent: false },
      entered: () => undefined,
      deliver: () => true,
    });
    const [join] = appended as [GroupCommand];
    machine.command({ ...join, room, topic, group: 'g', gatewayId: 'late', ref: 1 }, 0);
    for (const id of ['m1', 'm2', 'm3']) machine.message(messageOf(id, { body: new Uint8Array(1_000) }));
    const { memoryBytes } = machine;
    expect(machine.drop(memoryBytes / 2)).to.equal(2);
    expect(machine.memoryBytes).to.equal(memoryBytes / 3);
    expect(appended.at(-1)).to.deep.equal({ kind: 'done', ids: ['m1', 'm2'] });
    expect(machine.drop(memoryBytes)).to.equal(1);
    expect(machine.drop(memoryBytes)).to.equal(0);
  });
});

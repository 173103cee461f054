import { setImmediate as turn } from 'node:timers/promises';
import { expect } from 'chai';
import fc from 'fast-check';
import { eventually } from '@roomwire/testing/run/eventually';
import { ManualClock } from '@roomwire/testing/fakes/manualClock';
import { earlier, type Manner } from '../support/manner.js';
import { PresenceNode, textOf, type Shown } from '../support/presenceNode.js';
import { SimulatedBus } from '../support/simulatedBus.js';
import { anyOne, at, happenings, heal, stepsOf, type Step } from '../support/simulatedSteps.js';

const rooms = ['p/app/_/one', 'p/app/_/two', 'p/app/_/three'];
const actors = ['ann', 'ben', 'cem', 'dan'];

interface Connection {
  readonly node: PresenceNode;
  readonly connection: number;
  readonly actorTokenId: string;
  /** What is true for its client, by room: the last announcements that were accepted. */
  readonly at: Map<string, Uint8Array>;
  isBusy: boolean;
}

/** Gateways, their connections, and what must come out. */
class Cluster {
  readonly clock = new ManualClock();
  readonly nodes: PresenceNode[] = [];
  readonly dead = new Set<PresenceNode>();
  readonly connections = new Map<number, Connection>();
  private readonly bus = new SimulatedBus();
  private made = 0;

  get alive(): readonly PresenceNode[] {
    return this.nodes.filter((node) => !this.dead.has(node));
  }

  async start(answersMs = 0, manner?: Manner): Promise<PresenceNode> {
    const id = `gateway-${this.nodes.length}`;
    const node = new PresenceNode(id, this.bus, this.clock, answersMs, undefined, manner);
    this.nodes.push(node);
    await node.board.start();
    if (answersMs === 0) await node.board.ready;
    return node;
  }

  /** Slot: a client that always comes as the same actor, over the same gateway while that lives. */
  async announce(slot: number, room: string, presence: Uint8Array): Promise<void> {
    const client = this.connections.get(slot) ?? this.connect(slot);
    if (client === undefined || client.isBusy || client.node.port.isFrozen) return;
    client.isBusy = true;
    const { connection, actorTokenId, node } = client;
    void node.board.announce({ connection, room, actorTokenId, presence }).then((isAccepted) => {
      client.isBusy = false;
      if (isAccepted) client.at.set(room, presence);
    });
    await turn();
  }

  async leave(slot: number, room: string): Promise<void> {
    const client = this.connections.get(slot);
    if (client === undefined || client.isBusy || client.node.port.isFrozen) return;
    client.at.delete(room);
    void client.node.board.leave({ connection: client.connection, room });
    await turn();
  }

  async disconnect(slot: number): Promise<void> {
    const client = this.connections.get(slot);
    if (client === undefined || client.node.port.isFrozen) return;
    this.connections.delete(slot);
    void client.node.board.withdraw(client.connection);
    await turn();
  }

  async kill(node: PresenceNode): Promise<void> {
    this.dead.add(node);
    await node.port.close();
    for (const [slot, client] of this.connections) if (client.node === node) this.connections.delete(slot);
  }

  async move(choice: number, isLost = false): Promise<void> {
    this.bus.move(choice, isLost);
    await turn();
  }

  async second(): Promise<void> {
    this.clock.pass(1_000);
    for (const node of this.alive) if (!node.port.isFrozen) node.board.peers.tick();
    await turn();
  }

  /** Everything that can come does, for so many seconds. */
  async calm(seconds: number): Promise<void> {
    await eventually(() => [...this.connections.values()].every(({ isBusy }) => !isBusy));
    for (let second = 0; second < seconds; second++) {
      await this.second();
      for (let moved = 0; this.bus.move(moved); moved++) if (moved % 16 === 0) await turn();
      await turn();
      for (let moved = 0; this.bus.move(moved); moved++) await turn();
    }
  }

  /** By rooms and actors; any of the presences that an actor's connections announced may show. */
  possible(): Record<string, Set<string>> {
    const possible: Record<string, Set<string>> = {};
    for (const { at, actorTokenId } of this.connections.values())
      for (const [room, presence] of at)
        (possible[`${room} ${actorTokenId}`] ??= new Set()).add(textOf(presence));
    return possible;
  }

  private connect(slot: number): Connection | undefined {
    const node = this.alive[slot % Math.max(1, this.alive.length)];
    if (node === undefined) return undefined;
    const actorTokenId = actors[slot % actors.length] as string;
    const client = { node, connection: ++this.made, actorTokenId, at: new Map(), isBusy: false };
    this.connections.set(slot, client);
    return client;
  }
}

const expectAgreement = (cluster: Cluster): void => {
  const possible = cluster.possible();
  const [first] = cluster.alive;
  const shown = first?.shown(rooms) as Shown;
  expect(Object.keys(shown).sort()).to.deep.equal(Object.keys(possible).sort());
  for (const [key, presence] of Object.entries(shown))
    expect([...(possible[key] ?? [])]).to.include(presence);
  for (const node of cluster.alive) {
    expect(node.shown(rooms), node.gatewayId).to.deep.equal(shown);
    expect(node.told, `what ${node.gatewayId} told`).to.deep.equal(shown);
    expect(node.oddities, `what ${node.gatewayId} told`).to.deep.equal([]);
  }
};

const slot = fc.nat(7);

const announcing = fc.tuple(slot, fc.constantFrom(...rooms), fc.nat(4)).map(
  ([who, room, n]): Step<Cluster> =>
    (cluster) =>
      cluster.announce(who, room, Uint8Array.of(0x81, 0x01, n)),
);
const leaving = fc.tuple(slot, fc.constantFrom(...rooms)).map(
  ([who, room]): Step<Cluster> =>
    (cluster) =>
      cluster.leave(who, room),
);
const disconnecting = slot.map(
  (who): Step<Cluster> =>
    (cluster) =>
      cluster.disconnect(who),
);
const killing = anyOne.map((choice): Step<Cluster> => async (cluster) => {
  const node = at(cluster.alive, choice);
  if (node && cluster.alive.length > 1) await cluster.kill(node);
});
const { moving, losing, cutting, freezing, seconds } = happenings<Cluster>();

const run = async (steps: readonly Step<Cluster>[], mannerOfLast?: Manner): Promise<Cluster> => {
  const cluster = new Cluster();
  for (let node = 0; node < 3; node++) await cluster.start(0, node === 2 ? mannerOfLast : undefined);
  await cluster.calm(4);
  for (const step of steps) await step(cluster);
  return cluster;
};

describe('presence on many gateways', () => {
  const settings = { seed: 60, numRuns: 150 };

  it('[WS-PRES-12] [WS-PRES-14] is the same on all gateways, and the events add up to it, without faults', async () => {
    const steps = stepsOf(60, [3, announcing], [1, leaving], [1, disconnecting], [2, moving]);
    await fc.assert(
      fc.asyncProperty(steps, async (given) => {
        const cluster = await run(given);
        await cluster.calm(2);
        expectAgreement(cluster);
      }),
      settings,
    );
  });

  for (const [what, manner] of Object.entries({ '': undefined, ', one of an earlier version': earlier }))
    it(`[WS-PRES-12] becomes the same on all after losses, cuts, stops and deaths${what}`, async () => {
      const steps = stepsOf(
        80,
        ...([
          [6, announcing],
          [2, leaving],
          [2, disconnecting],
          [12, moving],
          [2, losing],
        ] as const),
        ...([
          [2, cutting],
          [1, freezing],
          [3, seconds],
          [1, killing],
        ] as const),
      );
      await fc.assert(
        fc.asyncProperty(steps, async (given) => {
          const cluster = await run(given, manner);
          heal(cluster);
          await cluster.calm(30);
          expectAgreement(cluster);
        }),
        settings,
      );
    }).timeout(120_000);

  const peopled = async (): Promise<Cluster> => {
    const cluster = await run([]);
    for (let who = 0; who < 6; who++) {
      await cluster.announce(who, rooms[who % 2] as string, Uint8Array.of(0x80));
    }
    await cluster.calm(3);
    return cluster;
  };
  const leaves = (node: PresenceNode) => node.events.filter(({ event }) => event === 'leave');

  it('[WS-PRES-13] the presences of a gateway that dies end within 15 s, and no others', async () => {
    const cluster = await peopled();
    const [first, , last] = cluster.nodes as [PresenceNode, PresenceNode, PresenceNode];
    const lost = Object.keys(first.told).length;
    await cluster.kill(last);
    await cluster.calm(8);
    expect(Object.keys(first.told)).to.have.length(lost);
    await cluster.calm(7);
    expectAgreement(cluster);
    expect(Object.keys(first.told)).to.have.length.below(lost);
  });

  it('[WS-PRES-13] no actor leaves because the bus is unavailable, for however long', async () => {
    const cluster = await peopled();
    for (const { port } of cluster.nodes) port.cut = 'refused';
    for (let second = 0; second < 600; second++) await cluster.second();
    heal(cluster);
    await cluster.calm(20);
    for (const node of cluster.nodes) expect(leaves(node)).to.deep.equal([]);
    expectAgreement(cluster);
  });

  it('[WS-PRES-13] a gateway that was suspended considers no peer dead when it resumes', async () => {
    const cluster = await peopled();
    const [stopped] = cluster.nodes as [PresenceNode];
    stopped.port.isFrozen = true;
    await cluster.calm(60);
    stopped.board.peers.tick();
    stopped.port.isFrozen = false;
    await cluster.calm(20);
    expect(leaves(stopped)).to.deep.equal([]);
    expectAgreement(cluster);
  });

  it('[WS-PRES-13] those of a gateway that was suspended for long return with it', async () => {
    const cluster = await peopled();
    const [stopped, other] = cluster.nodes as [PresenceNode, PresenceNode];
    stopped.port.isFrozen = true;
    await cluster.calm(20);
    expect(leaves(other)).to.have.length.above(0);
    stopped.port.isFrozen = false;
    await cluster.calm(10);
    expectAgreement(cluster);
  });

  it('[WS-PRES-12] a gateway that starts learns all presences, and reports no past changes', async () => {
    const cluster = await peopled();
    const late = await cluster.start(60_000);
    await cluster.calm(6);
    expect(late.events).to.deep.equal([]);
    expect(late.shown(rooms)).to.deep.equal(cluster.nodes[0]?.shown(rooms));
    await cluster.announce(9, rooms[2] as string, Uint8Array.of(0x80));
    await cluster.calm(1);
    expect(late.events.map(({ event, room }) => [event, room])).to.deep.equal([['join', rooms[2]]]);
  });
});

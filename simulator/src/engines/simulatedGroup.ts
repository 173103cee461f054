import type { GroupFollower, GroupReading } from '@roomwire/shared/adapters/message-bus/kafka/groupReader';
import type { KafkaGroups } from '@roomwire/shared/adapters/message-bus/kafka/kafkaMessageBus';
import type { SimulatedProcess } from '../cluster/simulatedProcess.js';
import type { MessagePartitions } from './messagePartitions.js';
import type { Network } from './network.js';

interface Member {
  readonly process: SimulatedProcess;
  readonly follower: GroupFollower;
  /** Where it reads on, by partition, as far as it has been told. */
  readonly owned: Map<number, number>;
  heardAt: number;
  /** Of the last assignment that it is to be told. */
  assigned: readonly number[];
  isPaused: boolean;
}

/** One that is not heard of for so long has lost its partitions, whether it knows that or not. */
const sessionMs = 6_000;
const heartbeatMs = 500;
const betweenFetchesMs = 40;

/** The members of a consumer group on `messages`, and what the brokers know of them. */
export class SimulatedGroup {
  private readonly network: Network;
  private readonly partitions: MessagePartitions;
  private members: readonly Member[] = [];
  /** Those that are out, and do not know it. */
  private readonly expelled = new Set<Member>();
  private isWatching = false;

  constructor(network: Network, partitions: MessagePartitions) {
    this.network = network;
    this.partitions = partitions;
  }

  join(process: SimulatedProcess, follower: GroupFollower): GroupReading {
    const { now } = this.network.time;
    const member: Member = {
      ...{ process, follower, owned: new Map<number, number>(), heardAt: now },
      ...{ assigned: [], isPaused: false },
    };
    this.balance([...this.members, member]);
    this.fetchOn(member);
    if (!this.isWatching) this.watch();
    return {
      pause: () => void (member.isPaused = true),
      resume: () => void (member.isPaused = false),
      commit: async () => undefined,
      close: async () => {
        this.expelled.delete(member);
        this.balance(this.members.filter((other) => other !== member));
        this.assign(member, []);
      },
    };
  }

  private watch(): void {
    this.isWatching = true;
    const { time } = this.network;
    for (const member of [...this.members, ...this.expelled])
      if (this.isHeard(member)) member.heardAt = time.now;
    const lost = this.members.filter(({ heardAt }) => heardAt < time.now - sessionMs);
    const back = [...this.expelled].filter(({ heardAt }) => heardAt === time.now);
    for (const member of lost) if (member.process.isAlive) this.expelled.add(member);
    for (const member of back) {
      this.expelled.delete(member);
      // It begins anew with each of its partitions.
      this.tell(member, []);
    }
    if (lost.length + back.length > 0)
      this.balance([...this.members.filter((member) => !lost.includes(member)), ...back]);
    time.after(undefined, heartbeatMs, () => this.watch());
  }

  private isHeard({ process }: Member): boolean {
    const { network } = this;
    return process.isAlive && process.stalledUntil <= network.time.now && !network.isCut(process, 'bus');
  }

  private balance(members: readonly Member[]): void {
    this.members = members;
    const all = Array.from({ length: this.partitions.count }, (_, partition) => partition);
    for (const [n, member] of members.entries())
      this.assign(
        member,
        all.filter((partition) => partition % members.length === n),
      );
  }

  private assign(member: Member, partitions: readonly number[]): void {
    member.assigned = partitions;
    this.network.time.after(member.process, this.network.delay(), () => this.tell(member, member.assigned));
  }

  private tell({ owned, follower }: Member, partitions: readonly number[]): void {
    for (const partition of [...owned.keys()])
      if (!partitions.includes(partition)) {
        owned.delete(partition);
        follower.lost(partition);
      }
    for (const partition of partitions)
      if (!owned.has(partition)) owned.set(partition, follower.nextOffset(partition) ?? 0);
  }

  private fetchOn(member: Member): void {
    const { network } = this;
    network.time.after(member.process, betweenFetchesMs + network.delay(), () => {
      if (!member.isPaused && !network.isCut(member.process, 'bus')) this.fetch(member);
      this.fetchOn(member);
    });
  }

  private fetch({ owned, follower }: Member): void {
    for (const [partition, first] of [...owned]) {
      const messages = this.partitions.from(partition, first);
      if (messages.length === 0) continue;
      const next = first + messages.length;
      owned.set(partition, next);
      follower.take({ partition, first, messages, next });
    }
  }
}

/** As one process has it. */
export const followPort =
  (process: SimulatedProcess, network: Network, group: SimulatedGroup): KafkaGroups['follow'] =>
  (_channel, _name, follower) =>
    network.call(process, 'bus', 'message history', () => group.join(process, follower));

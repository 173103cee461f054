import type { GroupRecord } from '@roomwire/shared/wire/bus/groupRecord';
import type { LiveMessage } from '@roomwire/shared/wire/bus/liveMessage';
import type { Account } from '../limits/fairBudget.js';
import { Backlog, type BacklogDeps } from './backlog.js';
import { CommandAppender, type CommandAppenderDeps } from './commandAppender.js';
import { GroupMachine } from './machine/groupMachine.js';
import type { GroupBounds } from './machine/groupState.js';
import type { DroppingGroup, GroupMemory } from './groupMemory.js';
import type { GroupKey, MemberGroup, Membership } from './membership.js';
import type { Participants, Participation } from './participants.js';

export interface LocalGroupDeps extends CommandAppenderDeps, BacklogDeps {
  /** Whether all gateways know members that get what their own actor publishes. */
  readonly knowsOwn: () => boolean;
  readonly gatewayId: string;
  readonly bounds: GroupBounds;
  readonly participants: Participants;
  /** Once it resolves, all records of the room are passed to `message` and `command`. */
  readonly subscribe: (room: string) => Promise<void>;
  readonly unsubscribe: (room: string) => void;
  /** Members of the group get numbers above it. */
  readonly lastNumber: number;
  /** Called before a delivery to members that no record has caused. */
  readonly noticePause: () => void;
  readonly dropped: (messages: number) => void;
  readonly memory: Pick<GroupMemory, 'open' | 'makeRoom'>;
  readonly ended: (group: LocalGroup) => void;
  /** The group that had this name here before, while it is being closed. */
  readonly predecessor: LocalGroup | undefined;
}

/** A group on this gateway, from its first member here to its last: the state machine, and the I/O around it. */
export class LocalGroup implements MemberGroup, DroppingGroup {
  readonly key: GroupKey;
  readonly opened: Promise<void>;
  readonly machine: GroupMachine;
  private readonly deps: LocalGroupDeps;
  private readonly appender: CommandAppender;
  private readonly backlog: Backlog;
  private readonly account: Account<DroppingGroup>;
  /** The members that can receive messages. */
  private readonly readyMembers = new Set<Membership>();
  private isReplaying = false;
  private participation: Participation | undefined;
  private users = 0;
  private isOver = false;
  private end: Promise<void> = Promise.resolve();

  constructor(key: GroupKey, deps: LocalGroupDeps) {
    const { gatewayId, bounds, lastNumber } = deps;
    this.key = key;
    this.deps = deps;
    this.appender = new CommandAppender(deps);
    this.backlog = new Backlog(key, deps, deps.predecessor?.backlog.settled);
    this.account = deps.memory.open(this);
    this.machine = new GroupMachine(
      { gatewayId, bounds, lastNumber, mayHaveBacklog: this.backlog.isPossible },
      {
        append: (command, ref) => this.appender.push({ ...command, ...key, gatewayId, ref }),
        replayBacklog: () => void this.replayBacklog(),
        emptied: (state) => this.backlog.emptied(state),
        collectsNoMore: (state) => this.backlog.collectsNoMore(state, this.machine.isLeader),
        dropped: deps.dropped,
        idle: () => this.endIfUnused(),
      },
    );
    this.opened = this.open();
    this.opened.catch(() => this.over());
  }

  get knowsOwn(): boolean {
    return this.deps.knowsOwn();
  }

  /** Resolves when the group is closed. */
  get closed(): Promise<void> {
    return this.end;
  }

  retain(): void {
    this.users++;
  }

  release(): void {
    this.users--;
    this.endIfUnused();
  }

  join(member: Membership): void {
    this.backlog.belongsTo(member.place);
    this.machine.join(member);
  }

  update(member: Membership): void {
    this.machine.update(member);
  }

  leave(member: Membership, quit: boolean, left?: () => void): void {
    this.readyMembers.delete(member);
    this.machine.leave(member, quit, left);
  }

  ready(member: Membership): void {
    this.readyMembers.add(member);
    this.deps.noticePause();
    this.machine.ready(member);
    if (!this.backlog.hasCheckpoint) this.checkpoint();
  }

  acknowledge(ids: readonly string[]): void {
    this.machine.acknowledge(ids);
    this.account.resize(this.machine.memoryBytes);
  }

  message(message: LiveMessage): void {
    this.machine.message(message);
    this.weigh();
  }

  command(record: GroupRecord): void {
    this.machine.command(record, this.deps.clock.now());
    this.weigh();
  }

  drop(bytes: number): number {
    const dropped = this.machine.drop(bytes);
    this.account.resize(this.machine.memoryBytes);
    return dropped;
  }

  /** Once a second. */
  tick(): void {
    const { participation } = this;
    if (participation) this.machine.participantsChanged(this.deps.participants.othersIn(participation));
    this.machine.tick();
    this.checkpoint();
    this.weigh();
  }

  /** Closes without waiting for commands, because the gateway stops. */
  abandon(): void {
    this.appender.close();
    this.backlog.abandon();
    this.over();
  }

  private async open(): Promise<void> {
    const { subscribe, unsubscribe, participants } = this.deps;
    const { room, topic, group } = this.key;
    await subscribe(room);
    try {
      this.participation = await participants.enter(`${topic}/${group}`, this.machine);
    } catch (error) {
      unsubscribe(room);
      throw error;
    }
  }

  /** [WS-GROUP-10] Nothing else is assigned meanwhile. A failed attempt is repeated with the next tick. */
  private async replayBacklog(): Promise<void> {
    if (this.isReplaying) return;
    const member = [...this.readyMembers].find(({ isReachable }) => isReachable);
    if (member === undefined) return;
    this.isReplaying = true;
    let outcome: 'replayed' | 'nothing' | 'interrupted' | 'failed' = 'failed';
    try {
      const target = member.replayTarget((message) => this.machine.replayed(message, member));
      outcome = await this.backlog.replay(target);
    } catch (error) {
      this.deps.logger.warn('The backlog of a worker group could not be replayed yet', {
        ...{ topic: this.key.topic, error },
      });
    }
    this.isReplaying = false;
    this.deps.noticePause();
    if (outcome === 'interrupted') this.machine.replayInterrupted();
    else if (outcome !== 'failed') this.machine.backlogReplayed(outcome === 'replayed');
    this.checkpoint();
  }

  /** [WS-GROUP-9] Checkpoints continuously, since all gateways may be killed at any moment. */
  private checkpoint(): void {
    const { state, isLeader } = this.machine;
    if (state !== undefined && isLeader) this.backlog.checkpoint(state);
  }

  /** Not while the machine handles an input, because groups may drop messages. */
  private weigh(): void {
    this.account.resize(this.machine.memoryBytes);
    this.deps.memory.makeRoom();
  }

  private endIfUnused(): void {
    const { participation } = this;
    if (this.users > 0 || this.isOver || participation === undefined || !this.machine.isIdle) return;
    this.over();
    this.end = Promise.all([this.appender.flushed(), this.backlog.settled]).then(async () => {
      this.deps.unsubscribe(this.key.room);
      await this.deps.participants.leave(participation);
    });
  }

  private over(): void {
    if (this.isOver) return;
    this.isOver = true;
    this.account.close();
    this.deps.ended(this);
  }
}

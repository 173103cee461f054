import type { GroupRecord } from '@roomwire/shared/wire/bus/groupRecord';
import type { RoomRecord } from '@roomwire/shared/wire/bus/roomRecord';
import type { GroupHosts, Host } from './groupHosts.js';
import { GroupReplica } from './groupReplica.js';
import { GroupSleep, type SleepDeps } from './groupSleep.js';
import type { GroupBounds } from './groupState.js';
import type { Membership } from './membership.js';
import { Outgoing, type OutgoingDeps } from './outgoing.js';

export interface GroupPlace {
  /** Internal. */
  readonly room: string;
  /** Internal. */
  readonly topic: string;
  readonly group: string;
}

export interface SiteDeps extends OutgoingDeps, SleepDeps {
  readonly gatewayId: string;
  readonly bounds: GroupBounds;
  readonly hosts: GroupHosts;
  /** From the moment it resolves everything that happens in the room comes to `take`. */
  readonly attend: (room: string) => Promise<void>;
  readonly forget: (room: string) => void;
  readonly nextNumber: () => number;
  readonly mayBeOut: () => boolean;
  readonly dropped: (messages: number) => void;
  readonly ended: (site: GroupSite) => void;
}

/** In looks. Longer than it takes until a dead gateway is taken for dead. */
const patience = 20;
/** In looks. A gateway announces itself before it joins, but on another channel. */
const untilMissed = 5;

/** This gateway's part in one group, from its first member to its last. */
export class GroupSite {
  readonly place: GroupPlace;
  readonly replica: GroupReplica;
  /** Resolves when members may join. Rejects where the bus is out of reach. */
  readonly opened: Promise<void>;
  private readonly deps: SiteDeps;
  private readonly outgoing: Outgoing;
  private readonly sleep: GroupSleep;
  /** Those that may be given messages. */
  private readonly ready = new Set<Membership>();
  private isWakingHere = false;
  private readonly missed = new Map<string, number>();
  private host: Host | undefined;
  private users = 0;
  private ref = 0;
  private waited = 0;
  private isOver = false;
  /** Resolves when nothing is left of it. */
  private end: Promise<void> = Promise.resolve();

  constructor(place: GroupPlace, deps: SiteDeps) {
    this.place = place;
    this.deps = deps;
    this.outgoing = new Outgoing(deps);
    this.sleep = new GroupSleep(place, deps);
    this.replica = new GroupReplica({
      ...deps,
      say: (news) => this.say({ ...news, ...place, gatewayId: deps.gatewayId, ref: ++this.ref }),
      hasOthers: () => (this.host?.others.size ?? 0) > 0,
      lookAgain: () => this.host && deps.hosts.lookAgain(this.host),
      ended: () => this.endIfUnused(),
      founded: () => ({ isWaking: this.sleep.isPossible, nowMs: deps.clock.now() }),
      wake: () => void this.wake(),
      emptied: (state) => this.sleep.emptied(state),
    });
    this.opened = this.open();
    this.opened.catch(() => this.over());
  }

  get closed(): Promise<void> {
    return this.end;
  }

  /** Holds the site open until it is released. */
  use(): void {
    this.users++;
  }

  /** The user has left, or has never come in. */
  release(): void {
    this.users--;
    this.endIfUnused();
  }

  join(member: Membership): void {
    this.sleep.isAt(member.place);
    this.replica.join(member);
  }

  /** Its client has been told that it is subscribed: it may be given messages. */
  isReady(member: Membership): void {
    this.ready.add(member);
    this.replica.goOn();
    if (!this.sleep.isWritten) this.remember();
  }

  leave(member: Membership, quit: boolean, left?: () => void): void {
    this.ready.delete(member);
    this.replica.leave(member, quit, left);
  }

  take(record: RoomRecord): void {
    this.replica.take(record);
  }

  /** Once a second. What should have come by itself and has not is seen to. */
  look(): void {
    this.waited = this.replica.isWaiting ? this.waited + 1 : 0;
    if (this.waited > patience) {
      this.waited = 0;
      this.replica.found();
    }
    if (this.host) this.lookForMissing(this.host);
    if (this.replica.isInCharge && this.replica.known?.isWaking) this.replica.goOn();
    this.remember();
  }

  /** Gives up: the gateway ends. */
  abandon(): void {
    this.outgoing.close();
    this.over();
  }

  private async open(): Promise<void> {
    const { attend, hosts } = this.deps;
    const { room, topic, group } = this.place;
    await attend(room);
    try {
      this.host = await hosts.enter(`${topic}/${group}`, {
        changed: () => this.replica.hostsChanged(),
        lost: (gatewayId) => this.replica.lost(gatewayId),
      });
    } catch (error) {
      this.deps.forget(room);
      throw error;
    }
  }

  /** [WS-GROUP-10] Until it is over nobody is given anything else. What fails is tried again with the next look. */
  private async wake(): Promise<void> {
    // Asked with every record that comes meanwhile.
    if (this.isWakingHere) return;
    const member = [...this.ready].find(({ isReachable }) => isReachable);
    if (member === undefined) return;
    this.isWakingHere = true;
    let outcome: 'woken' | 'nothing there' | 'left' | 'failed' = 'failed';
    try {
      outcome = await this.sleep.wake(
        member.replayTarget((message) => this.replica.replayed(message, member)),
      );
    } catch (error) {
      this.deps.logger.warn('A worker group could not be woken yet', { topic: this.place.topic, error });
    }
    this.isWakingHere = false;
    if (outcome === 'left') this.replica.goOn();
    else if (outcome !== 'failed') this.replica.woken(outcome === 'woken');
    this.remember();
  }

  /** [WS-GROUP-9] All gateways may be killed at any moment. */
  private remember(): void {
    const { known, isInCharge } = this.replica;
    if (known !== undefined && isInCharge) this.sleep.look(known);
  }

  private say(news: GroupRecord): number {
    this.outgoing.push(news);
    return news.ref;
  }

  private lookForMissing(host: Host): void {
    const { gatewayId: self, hosts } = this.deps;
    for (const gatewayId of this.replica.known?.members.gatewayIds ?? []) {
      if (gatewayId === self || hosts.isThere(host, gatewayId)) this.missed.delete(gatewayId);
      else this.missed.set(gatewayId, (this.missed.get(gatewayId) ?? 0) + 1);
    }
    for (const [gatewayId, times] of this.missed) if (times >= untilMissed) this.lose(gatewayId);
  }

  private lose(gatewayId: string): void {
    this.missed.delete(gatewayId);
    this.replica.lost(gatewayId);
  }

  private endIfUnused(): void {
    if (this.users > 0 || this.isOver || this.host === undefined || !this.replica.isOver) return;
    const { host } = this;
    this.over();
    this.end = Promise.all([this.outgoing.flushed(), this.sleep.settled]).then(async () => {
      this.deps.forget(this.place.room);
      await this.deps.hosts.leave(host);
    });
  }

  private over(): void {
    if (this.isOver) return;
    this.isOver = true;
    this.deps.ended(this);
  }
}

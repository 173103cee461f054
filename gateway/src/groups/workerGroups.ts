import type { FilterEntry } from '@roomwire/shared/wire/protocol/filterEntry';
import type { LiveMessage } from '@roomwire/shared/wire/bus/liveMessage';
import { isGroupRecord, type RoomRecord } from '@roomwire/shared/wire/bus/roomRecord';
import type { Clock } from '@roomwire/shared/ports/clock';
import type { GatewayMetrics } from '../metrics.js';
import type { Transition } from '../presence/presenceTable.js';
import { GroupHosts, isHostPlace, type HostBoard } from './groupHosts.js';
import { GroupSite, type GroupPlace, type SiteDeps } from './groupSite.js';
import { Membership } from './membership.js';
import { withTimeout } from '@roomwire/shared/runtime/waiting';

export interface WorkerGroupsDeps extends Pick<
  SiteDeps,
  'bus' | 'record' | 'store' | 'logger' | 'retryMs' | 'gatewayId' | 'bounds' | 'attend' | 'forget'
> {
  readonly clock: Clock;
  readonly metrics: GatewayMetrics;
  readonly board: HostBoard;
  /** For longer than this the others do not wait for a gateway. */
  readonly silenceMs: number;
  /** A service closes within this time although the bus is away. */
  readonly closeMs: number;
}

/** Who wants to take turns in a group, and what it is then told. */
export interface MemberWish extends GroupPlace {
  readonly actorTokenId: string;
  readonly filters: readonly FilterEntry[] | undefined;
  readonly acks: boolean;
  /** Its session outlasts its connection. */
  readonly isPersistent: boolean;
  /** What the names in the topic stand for. */
  readonly place: string;
  readonly replay: MemberReplay;
  /** It takes part from here on: between two messages of the topic. */
  readonly entered: () => void;
  readonly deliver: (message: LiveMessage) => void;
  /** Whether what is delivered goes to the client. */
  readonly isReachable: () => boolean;
}

/** What a member is given of what was recorded. */
export interface MemberReplay {
  /** At most so many; undefined where nothing is replayed. */
  limit(): number | undefined;
  begin(count: number): void;
  give(message: LiveMessage): void;
  end(replayed: number): void;
  /** Resolves when there is room for one more, or nobody wants it any more. */
  room(isOver: () => boolean): Promise<void>;
}

const lookMs = 1_000;

/** The worker groups in which this gateway has members. */
export class WorkerGroups {
  private readonly deps: WorkerGroupsDeps;
  private readonly hosts: GroupHosts;
  private readonly sites = new Map<string, GroupSite>();
  private readonly byTopic = new Map<string, Set<GroupSite>>();
  /** Every one that is not quite closed. */
  private readonly open = new Set<GroupSite>();
  private readonly timer: NodeJS.Timeout;
  private aliveAt: number;
  private numbers = 0;

  constructor(deps: WorkerGroupsDeps) {
    this.deps = deps;
    this.hosts = new GroupHosts(deps.gatewayId, deps.board);
    this.aliveAt = deps.clock.monotonic();
    this.timer = setInterval(() => this.look(), lookMs).unref();
  }

  /** Groups in which this gateway has members, or is about to. */
  get size(): number {
    return this.sites.size;
  }

  /** Of them, what is not done. */
  get messages(): number {
    let messages = 0;
    for (const { replica } of this.sites.values()) messages += replica.known?.held.size ?? 0;
    return messages;
  }

  join(wish: MemberWish): Membership {
    return new Membership(wish, this.siteOf(wish), () => ++this.numbers);
  }

  /** Whatever comes from a room. Where the topic has no group it costs a look-up. */
  take(record: RoomRecord): void {
    if (isGroupRecord(record)) return this.sites.get(nameOf(record))?.take(record);
    const sites = this.byTopic.get(record.topic);
    if (sites !== undefined) for (const site of sites) site.take(record);
  }

  /** What became of a presence; those that stand for gateways in groups are ours. */
  told(transition: Transition): void {
    if (isHostPlace(transition.room)) this.hosts.told(transition);
  }

  announced(connection: number, room: string): void {
    if (isHostPlace(room)) this.hosts.entered(connection, room);
  }

  look(): void {
    this.aliveAt = this.deps.clock.monotonic();
    for (const site of this.sites.values()) site.look();
  }

  /** All members must have left. */
  async close(): Promise<void> {
    clearInterval(this.timer);
    await withTimeout(this.deps.closeMs, this.emptied(), () => undefined, { unref: true });
    for (const site of this.open) site.abandon();
  }

  private async emptied(): Promise<void> {
    while (this.open.size > 0) {
      await Promise.all([...this.open].map((site) => site.closed));
      await new Promise(setImmediate);
    }
  }

  private siteOf(place: GroupPlace): GroupSite {
    const name = nameOf(place);
    const known = this.sites.get(name);
    if (known !== undefined) return known;
    const { room, topic, group } = place;
    const site = new GroupSite({ room, topic, group }, this.siteDeps());
    this.sites.set(name, site);
    this.open.add(site);
    const ofTopic = this.byTopic.get(topic);
    if (ofTopic) ofTopic.add(site);
    else this.byTopic.set(topic, new Set([site]));
    return site;
  }

  private siteDeps(): SiteDeps {
    const { metrics } = this.deps;
    return {
      ...this.deps,
      hosts: this.hosts,
      nextNumber: () => ++this.numbers,
      mayBeOut: () => this.mayBeOut(),
      dropped: (messages) => void (metrics.groupMessagesDropped += messages),
      ended: (site) => this.ended(site),
    };
  }

  private ended(site: GroupSite): void {
    const name = nameOf(site.place);
    if (this.sites.get(name) === site) this.sites.delete(name);
    const ofTopic = this.byTopic.get(site.place.topic);
    ofTopic?.delete(site);
    if (ofTopic?.size === 0) this.byTopic.delete(site.place.topic);
    // Its last words are known only now.
    queueMicrotask(() => void site.closed.finally(() => this.open.delete(site)));
  }

  /** Asked once for each time that the process stood still. */
  private mayBeOut(): boolean {
    const now = this.deps.clock.monotonic();
    const hasStood = now - this.aliveAt > (this.deps.silenceMs * 2) / 3;
    this.aliveAt = now;
    return hasStood;
  }
}

const nameOf = ({ topic, group }: Pick<GroupPlace, 'topic' | 'group'>): string => `${topic}\n${group}`;

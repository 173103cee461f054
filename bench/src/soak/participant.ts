import { Dues, type SubscriptionWish } from './dues.js';
import type { Findings } from './findings.js';
import type { Latencies, Wait } from './hostile/latencies.js';
import type { Chance } from './chance.js';
import type { Ledger, Topic } from './messages.js';
import { type Frame, Link, type LinkOwner } from './link.js';
import { type Present, put, take } from './presenceView.js';
import type { Place, SoakRoom } from './rooms.js';

interface RestoredSubscription {
  readonly pattern: string;
  readonly load_balance: boolean;
  readonly load_balance_group: string;
  readonly filters: readonly string[];
}

type Wishes = ReadonlyMap<string, SubscriptionWish>;

/** What an actor is subscribed to, and gets back when it comes again if its sessions persist. */
class Session {
  readonly isPersistent: boolean;
  private readonly findings: Findings;
  private wishes = new Map<string, SubscriptionWish>();
  /** Something was asked for and not answered, so that the service may have recorded it or not. */
  private isUnsure = true;

  constructor(isPersistent: boolean, findings: Findings) {
    this.isPersistent = isPersistent;
    this.findings = findings;
  }

  /** For the `auth` frame. */
  get wish(): Readonly<Record<string, unknown>> {
    return this.isPersistent ? { reconnect: true, clientId: 'soak' } : {};
  }

  has(address: string): boolean {
    return this.wishes.has(address);
  }

  keep(address: string, wish: SubscriptionWish): void {
    this.wishes.set(address, wish);
  }

  forget(address: string): void {
    this.wishes.delete(address);
  }

  ended(isUnsure: boolean): void {
    this.isUnsure = isUnsure;
  }

  /** Takes what the service has given back, and holds it to what it should be. */
  restored(subscriptions: unknown): Wishes {
    const given = new Map<string, SubscriptionWish>();
    for (const one of subscriptions as readonly RestoredSubscription[]) {
      const group = one.load_balance ? one.load_balance_group : undefined;
      given.set(one.pattern, { filter: one.filters[0], group });
    }
    const expected = this.isPersistent ? this.wishes : new Map<string, SubscriptionWish>();
    if (!this.isUnsure && shown(expected) !== shown(given))
      this.findings.violated(`a session had ${shown(expected)}, and is restored as ${shown(given)}`);
    if (given.size > 0) this.findings.count('restored sessions');
    this.wishes = given;
    return given;
  }
}

const shown = (wishes: Wishes): string =>
  [...wishes]
    .map(([address, { filter, group }]) => `${address} (${filter ?? 'all'}, ${group ?? 'alone'})`)
    .sort()
    .join(', ');

/** What all who take part share. */
export interface Ground {
  readonly port: number;
  readonly place: Place;
  readonly ledger: Ledger;
  readonly findings: Findings;
  readonly chance: Chance;
  /** Who is where, by what the clients have done. */
  readonly present: Present;
  /** Undefined where nobody is hostile. */
  readonly latencies: Latencies | undefined;
}

/** How a link ends: with a close, without a word, or by falling silent until the service closes it. */
type Ending = 'leave' | 'lose' | 'fall silent';

const acknowledgesLateMs = 1_500;
const padding = 'x'.repeat(64);
let links = 0;

/** One actor with one connection at a time. */
export class Participant implements LinkOwner {
  actorTokenId = '';
  /** Resolves when the present link has ended. */
  gone: Promise<void> = Promise.resolve();
  isSilent = false;
  readonly actor: number;
  readonly room: SoakRoom;
  protected readonly ground: Ground;
  private readonly token: string;
  private readonly session: Session;
  private readonly dues: Dues;
  private currentLink: Link | undefined;
  private number = 0;
  private onGone: () => void = () => undefined;
  private announcedIn: string | undefined;
  private replayed: number | undefined;

  constructor(ground: Ground, actor: number, room: SoakRoom, token: string, isPersistent: boolean) {
    this.ground = ground;
    this.actor = actor;
    this.room = room;
    this.token = token;
    this.session = new Session(isPersistent, ground.findings);
    this.dues = new Dues(ground, actor);
  }

  get isConnected(): boolean {
    return this.currentLink?.isOver === false;
  }

  /** No request and no publish of it waits for an answer. */
  get isIdle(): boolean {
    return !this.link.isAsking && this.dues.isAnswered;
  }

  /** Whether all that it is owed has come. */
  get isEven(): boolean {
    return this.dues.isEven;
  }

  isSubscribed({ address }: Topic): boolean {
    return this.session.has(address);
  }

  protected get link(): Link {
    if (this.currentLink === undefined) throw new Error('There is no link yet');
    return this.currentLink;
  }

  /** Resolves when it is authenticated, and has its session back if there was one. */
  async connect(): Promise<void> {
    const { port, findings } = this.ground;
    links += 1;
    this.number = links;
    this.isSilent = false;
    this.gone = new Promise((resolve) => (this.onGone = resolve));
    this.currentLink = await Link.open(port, this).catch((error: unknown) => {
      this.onGone();
      throw error;
    });
    const auth = { type: 'auth', token: this.token, protocolVersion: 2, ...this.session.wish };
    await this.link.ask(auth, 'auth', (answer) => this.admitted(answer));
    findings.count('connects');
  }

  async subscribe(topic: Topic, wish: SubscriptionWish = {}): Promise<void> {
    const { filter, group } = wish;
    const filters = filter === undefined ? undefined : [filter];
    const worker = group === undefined ? {} : { loadBalance: true, loadBalanceGroup: group };
    const frame = { type: 'subscribe', topic: topic.address, filters, ...worker };
    await this.link.ask(frame, 'subscribed', () => {
      this.session.keep(topic.address, wish);
      this.begin(topic, wish);
    });
  }

  async unsubscribe(topic: Topic): Promise<void> {
    this.dues.leaving(topic);
    await this.link.ask({ type: 'unsubscribe', topic: topic.address }, 'unsubscribed', () => {
      this.session.forget(topic.address);
      this.dues.left(topic);
    });
  }

  async refilter(topic: Topic, filter: string | undefined): Promise<void> {
    this.dues.refiltering(topic, filter);
    const frame = { type: 'setFilters', topic: topic.address, filters: filter === undefined ? [] : [filter] };
    await this.link.ask(frame, 'filtersUpdated', () => {
      this.session.keep(topic.address, { filter });
      this.dues.refiltered(topic);
    });
  }

  async announce(room: string, data: Readonly<Record<string, unknown>>): Promise<void> {
    const { present, findings, place, latencies } = this.ground;
    this.link.send({ type: 'presence', roomId: `${place.appSlug}/${room}`, data });
    const begin = performance.now();
    await this.link.settle();
    latencies?.record('heartbeat', performance.now() - begin);
    if (this.announcedIn !== undefined) take(present, this.announcedIn, this.actorTokenId);
    this.announcedIn = room;
    put(present, room, this.actorTokenId, data);
    findings.count('announcements');
  }

  publish(topic: Topic, retain = false): void {
    const { ledger, chance } = this.ground;
    const filter = chance.of(['even', 'odd']);
    const sent = ledger.sent(topic, this.actor, this.number, filter);
    this.dues.published(sent);
    const data = { id: sent.id, padding };
    const frame = { type: 'publish', topic: topic.address, data, filter, msgRef: String(sent.id) };
    this.link.send(retain ? { ...frame, retain } : frame);
  }

  end(how: Ending): void {
    this.ground.findings.count(`ends: ${how}`);
    if (how === 'fall silent') {
      this.isSilent = true;
      return this.dues.leavingAll();
    }
    this.session.ended(this.link.isAsking);
    if (how === 'leave') this.link.leave();
    else this.link.lose();
    this.ended();
  }

  beat(): void {
    if (!this.isSilent && this.isConnected) this.link.beat();
  }

  /** Nothing is published any more: whatever it has not got is missing. */
  judge(): void {
    this.dues.judge();
  }

  onFrame(frame: Frame): void {
    const { findings } = this.ground;
    switch (frame.type) {
      case 'message':
        return this.onMessage(frame);
      case 'published':
        findings.count('accepted publishes');
        this.timed('acknowledgement', Number(frame.msgRef));
        return this.dues.accepted(Number(frame.msgRef));
      case 'presence':
        return findings.count('presence events');
      case 'replayStart':
        this.replayed = 0;
        return;
      case 'replayEnd':
        return this.endReplay(frame.replayed);
      default:
        findings.violated(`actor ${this.actor} was told ${JSON.stringify(frame)}`);
    }
  }

  onClosed(reason = 'no reason'): void {
    if (!this.isSilent || reason !== 'idle_timeout')
      this.ground.findings.violated(`the connection of actor ${this.actor} was closed: ${reason}`);
    this.session.ended(false);
    this.ended();
  }

  protected onMessage({ topic, data, msgId, isReplay }: Frame): void {
    const { id } = data as { readonly id: number };
    this.ground.findings.count('deliveries');
    if (isReplay === true && this.replayed !== undefined) this.replayed += 1;
    const isWork = this.dues.received(String(topic), id);
    if (isWork && !this.isSilent) this.acknowledge(String(msgId));
  }

  protected timed(wait: Wait, messageId: number): void {
    const { latencies, ledger } = this.ground;
    const sent = latencies && ledger.find(messageId);
    if (sent) latencies.record(wait, performance.now() - sent.time);
  }

  /** A subscription has been confirmed. */
  protected begin(topic: Topic, wish: SubscriptionWish): void {
    this.dues.begin(topic, wish);
  }

  /** Most at once, some late, and some never. */
  private acknowledge(msgId: string): void {
    const { link } = this;
    const ack = (): void => link.send({ type: 'ack', msgId });
    const dice = this.ground.chance.next();
    if (dice < 0.9 || !this.session.isPersistent) ack();
    else if (dice < 0.98) setTimeout(ack, dice * acknowledgesLateMs).unref();
  }

  private endReplay(replayed: unknown): void {
    const { findings } = this.ground;
    if (replayed !== this.replayed)
      findings.violated(`a replay of ${this.replayed} messages ended with ${String(replayed)}`);
    this.replayed = undefined;
    findings.count('replays');
  }

  private admitted({ success, actorTokenId, restoredSubscriptions }: Frame): void {
    if (success !== true) throw new Error(`Actor ${this.actor} was not admitted`);
    this.actorTokenId = String(actorTokenId);
    for (const [address, wish] of this.session.restored(restoredSubscriptions)) {
      const topic = this.ground.place.topics.get(address);
      if (topic) this.begin(topic, wish);
    }
  }

  private ended(): void {
    this.dues.end();
    if (this.announcedIn !== undefined) take(this.ground.present, this.announcedIn, this.actorTokenId);
    this.announcedIn = undefined;
    this.replayed = undefined;
    this.onGone();
  }
}

import { decode, encode } from '@msgpack/msgpack';
import type { Published, Subscribed } from '../run/history.js';
import { SimulatedSocket } from './simulatedSocket.js';
import type { Actor, World } from './world.js';

type Frame = Readonly<Record<string, unknown>>;

interface Asked {
  readonly room: string;
  readonly group: string | undefined;
  readonly askedAt: number;
}

const answersWithinMs = 15_000;
let connections = 0;

/** Connections are numbered from 1 in each simulation. */
export const countConnectionsAnew = (): void => {
  connections = 0;
};

/** One connection of a client, from the handshake to its end, and what it has been told. */
export class Connection {
  readonly number = ++connections;
  readonly actor: Actor;
  /** The machine of its gateway. */
  readonly gateway: string;
  state: 'opening' | 'open' | 'over' = 'opening';
  /** By topic. */
  readonly subscriptions = new Map<string, Subscribed>();
  /** Topics whose `subscribe` or `unsubscribe` has not been answered. */
  readonly asking = new Map<string, Asked>();
  /** The room that it has announced itself in. */
  announced: string | undefined;
  /** Answers to `getPresence`, by room. */
  readonly presences = new Map<string, { readonly at: number; readonly actors: readonly string[] }>();
  private readonly world: World;
  private readonly socket: SimulatedSocket | undefined;
  private readonly unanswered = new Map<string, Published>();
  private readonly onOver: () => void;

  constructor(world: World, actor: Actor, place: World['cluster']['places'][number], onOver: () => void) {
    this.world = world;
    this.actor = actor;
    this.gateway = place.machine.name;
    this.onOver = onOver;
    this.socket = SimulatedSocket.open(place, world.cluster.network, {
      onFrame: (payload) => this.take(payload),
      onClosed: (code) => this.over(`closed with ${code}`),
    });
    this.tell(`connects to ${this.gateway}`);
    if (this.socket === undefined) this.over('refused');
    this.send({ type: 'auth', token: actor.token, protocolVersion: 2 });
    world.time.after(undefined, answersWithinMs, () => {
      if (this.state === 'opening') this.vanish('not answered');
    });
  }

  subscribe(room: string, topic: string, group: string | undefined): void {
    if (this.asking.has(topic)) return;
    this.asking.set(topic, { room, group, askedAt: this.world.time.now });
    const former = this.subscriptions.get(topic);
    // What it gets from now on is another thing, and a message may be of either.
    if (former !== undefined && former.group !== group) this.endSubscription(topic);
    this.send({
      type: 'subscribe',
      topic,
      ...(group !== undefined && { loadBalance: true, loadBalanceGroup: group }),
    });
  }

  unsubscribe(topic: string): void {
    if (this.asking.has(topic)) return;
    this.endSubscription(topic);
    this.asking.set(topic, { room: '', group: undefined, askedAt: this.world.time.now });
    this.send({ type: 'unsubscribe', topic });
  }

  publish(room: string, topic: string, qos: number, retain: boolean): void {
    const { history, time } = this.world;
    const id = history.published.length;
    const message: Published = {
      ...{ id, topic, room, actor: this.actor.actorTokenId, connection: this.number, qos, sentAt: time.now },
      ...{ outcome: 'unanswered', answeredAt: Infinity, storedAs: undefined },
    };
    history.published.push(message);
    this.unanswered.set(String(id), message);
    this.send({ type: 'publish', topic, data: id, qos, msgRef: String(id), ...(retain && { retain }) });
  }

  announce(room: string, appSlug: string): void {
    this.announced = room;
    this.send({ type: 'presence', roomId: `${appSlug}/${room}`, data: { n: this.number } });
  }

  askPresence(room: string, appSlug: string): void {
    this.send({ type: 'getPresence', roomId: `${appSlug}/${room}` });
  }

  beat(): void {
    this.socket?.send(new Uint8Array());
  }

  leave(): void {
    this.socket?.leave();
    this.over('leaves');
  }

  vanish(why: string): void {
    this.socket?.vanish();
    this.over(why);
  }

  /** From now on nothing has to come any more, and what has not been delivered yet need not be. */
  endSubscription(topic: string): void {
    const subscription = this.subscriptions.get(topic);
    if (subscription) subscription.until = Math.min(subscription.until, this.world.time.now);
    this.subscriptions.delete(topic);
  }

  /** A right has changed, or may have: the subscriptions in the room may end without a word. */
  doubt(room: string): void {
    for (const subscription of this.subscriptions.values())
      if (subscription.room === room) subscription.until = Math.min(subscription.until, this.world.time.now);
    if (this.announced === room) this.announced = undefined;
  }

  private over(why: string): void {
    if (this.state === 'over') return;
    this.state = 'over';
    this.tell(why);
    for (const topic of [...this.subscriptions.keys()]) this.endSubscription(topic);
    this.world.time.after(undefined, 0, this.onOver);
  }

  private send(frame: Frame): void {
    if (this.state === 'over') return;
    this.tell(`> ${textOf(frame)}`);
    this.socket?.send(encode(frame));
  }

  private take(payload: Uint8Array): void {
    if (this.state === 'over' || payload.length === 0) return;
    const frame = decode(payload) as Frame;
    this.tell(`< ${textOf(frame)}`);
    const topic = frame['topic'] as string;
    switch (frame['type']) {
      case 'auth':
        if (frame['success'] === true) this.state = 'open';
        else this.vanish('not admitted');
        return;
      case 'subscribed':
        return this.subscribed(topic);
      case 'unsubscribed':
        return void this.asking.delete(topic);
      case 'message':
        return this.message(topic, frame);
      case 'published':
        return this.answered(frame['msgRef'] as string, 'accepted');
      case 'error':
        if (typeof frame['msgRef'] === 'string') this.answered(frame['msgRef'], 'refused', frame['error']);
        else this.refused(topic, frame['error']);
        return;
      case 'presenceList':
        return this.presenceList(
          frame['roomId'] as string,
          frame['data'] as readonly { actorTokenId: string }[],
        );
    }
  }

  private subscribed(topic: string): void {
    const asked = this.asking.get(topic);
    this.asking.delete(topic);
    const { time, history } = this.world;
    const former = this.subscriptions.get(topic);
    if (asked === undefined) return;
    const { room, group, askedAt } = asked;
    this.used(room, 'subscribe', true, askedAt);
    if (former !== undefined && former.until > time.now) return;
    const subscription: Subscribed = {
      ...{ connection: this.number, actor: this.actor.actorTokenId, topic, room, group, from: time.now },
      ...{ until: Infinity, received: former?.group === group ? (former?.received ?? []) : [] },
    };
    this.subscriptions.set(topic, subscription);
    history.subscriptions.push(subscription);
  }

  private message(topic: string, frame: Frame): void {
    const { time, history, chance } = this.world;
    const id = frame['data'] as number;
    const isReplay = frame['isReplay'] === true;
    const subscription = this.subscriptions.get(topic);
    history.deliveries.push({
      ...{ connection: this.number, actor: this.actor.actorTokenId, topic, id, at: time.now },
      isOrdinary: subscription?.group === undefined && subscription !== undefined && !this.asking.has(topic),
    });
    subscription?.received.push({ id, at: time.now, isReplay });
    if (subscription?.group === undefined || typeof frame['msgId'] !== 'string') return;
    const { msgId } = frame as { msgId: string };
    time.after(undefined, chance.next() * 200, () => this.send({ type: 'ack', msgId }));
  }

  private answered(ref: string, outcome: 'accepted' | 'refused', error?: unknown): void {
    const message = this.unanswered.get(ref);
    if (message === undefined) return;
    this.unanswered.delete(ref);
    Object.assign(message, { outcome, answeredAt: this.world.time.now });
    const isGranted = outcome === 'accepted';
    if (isGranted || error === 'unknown_topic') this.used(message.room, 'publish', isGranted, message.sentAt);
  }

  private refused(topic: string, error: unknown): void {
    const asked = this.asking.get(topic);
    if (asked === undefined) return void (this.announced = undefined);
    this.asking.delete(topic);
    this.endSubscription(topic);
    if (error === 'unknown_topic') this.used(asked.room, 'subscribe', false, asked.askedAt);
  }

  private used(room: string, kind: 'subscribe' | 'publish', isGranted: boolean, askedAt: number): void {
    const { time, history } = this.world;
    const { actorTokenId: actor } = this.actor;
    history.rightsUsed.push({ actor, room, kind, isGranted, askedAt, answeredAt: time.now });
  }

  private presenceList(room: string, data: readonly { actorTokenId: string }[]): void {
    const actors = data.map(({ actorTokenId }) => actorTokenId).sort();
    this.presences.set(room, { at: this.world.time.now, actors });
  }

  private tell(what: string): void {
    this.world.history.happened(`client ${this.number} ${what}`);
  }
}

const textOf = (frame: Frame): string =>
  JSON.stringify(frame, (name, value: unknown) => (name === 'token' || name === 'hint' ? undefined : value));

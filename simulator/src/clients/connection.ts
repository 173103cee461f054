import { decode, encode } from '@msgpack/msgpack';
import type { Place } from '../cluster/cluster.js';
import type { Published } from '../run/history.js';
import { OwnSubscriptions, type Restored, type Wish } from './ownSubscriptions.js';
import { SimulatedSocket } from './simulatedSocket.js';
import type { Actor, World } from './world.js';

type Frame = Readonly<Record<string, unknown>>;

export interface Opening {
  readonly world: World;
  readonly actor: Actor;
  readonly place: Place;
  /** Names the client among those of the actor. */
  readonly clientId: string;
  /** Whether the subscriptions of its last connection are wanted back. */
  readonly reconnect: boolean;
}

export interface Publication {
  readonly room: string;
  readonly topic: string;
  readonly qos: number;
  readonly filter: string | undefined;
  readonly isRetained: boolean;
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
  readonly subscriptions: OwnSubscriptions;
  /** The room that it has announced itself in. */
  announced: string | undefined;
  /** Answers to `getPresence`, by room. */
  readonly presences = new Map<string, { readonly at: number; readonly actors: readonly string[] }>();
  private readonly world: World;
  private readonly socket: SimulatedSocket | undefined;
  private readonly unanswered = new Map<string, Published>();
  private readonly onOver: () => void;
  private readonly openedAt: number;

  constructor({ world, actor, place, clientId, reconnect }: Opening, onOver: () => void) {
    this.world = world;
    this.actor = actor;
    this.openedAt = world.time.now;
    this.subscriptions = new OwnSubscriptions(world, this.number, actor.actorTokenId);
    this.gateway = place.machine.name;
    this.onOver = onOver;
    this.socket = SimulatedSocket.open(place, world.cluster.network, {
      onFrame: (payload) => this.take(payload),
      onClosed: (code) => this.over(`closed with ${code}`),
    });
    this.tell(`connects to ${this.gateway}`);
    if (this.socket === undefined) this.over('refused');
    this.send({ type: 'auth', token: actor.token, protocolVersion: 2, clientId, reconnect });
    world.time.after(undefined, answersWithinMs, () => {
      if (this.state === 'opening') this.vanish('not answered');
    });
  }

  subscribe(wish: Wish): void {
    const { topic, group, filter } = wish;
    if (!this.subscriptions.ask(topic, wish)) return;
    const inGroup = group !== undefined && { loadBalance: true, loadBalanceGroup: group };
    this.send({ type: 'subscribe', topic, ...(filter !== undefined && { filters: [filter] }), ...inGroup });
  }

  unsubscribe(topic: string): void {
    if (this.subscriptions.ask(topic, undefined)) this.send({ type: 'unsubscribe', topic });
  }

  publish({ room, topic, qos, filter, isRetained }: Publication): void {
    const { history, time } = this.world;
    const id = history.published.length;
    const message: Published = {
      ...{
        id,
        topic,
        room,
        actor: this.actor.actorTokenId,
        connection: this.number,
        qos,
        filter,
        isRetained,
      },
      ...{ sentAt: time.now, outcome: 'unanswered', answeredAt: Infinity, storedAs: undefined },
    };
    history.published.push(message);
    this.unanswered.set(String(id), message);
    const options = { ...(filter !== undefined && { filter }), ...(isRetained && { retain: true }) };
    this.send({ type: 'publish', topic, data: id, qos, msgRef: String(id), ...options });
  }

  announce(room: string, appSlug: string): void {
    this.announced = room;
    this.send({ type: 'presence', roomId: `${appSlug}/${room}`, data: { n: this.number } });
  }

  askPresence(room: string, appSlug: string): void {
    this.send({ type: 'getPresence', roomId: `${appSlug}/${room}` });
  }

  watchLobby(lobbyId: string): void {
    this.send({ type: 'lobbySubscribe', lobbyId });
    this.send({ type: 'getLobbyPresence', lobbyId });
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

  /** A right in the room has changed, or may have. */
  doubt(room: string): void {
    this.subscriptions.doubt(room);
    if (this.announced === room) this.announced = undefined;
  }

  private over(why: string): void {
    if (this.state === 'over') return;
    this.state = 'over';
    this.tell(why);
    this.subscriptions.endAll();
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
        return this.admitted(frame);
      case 'subscribed':
        return this.subscriptions.subscribed(topic);
      case 'unsubscribed':
        return this.subscriptions.unsubscribed(topic);
      case 'message':
        return this.message(topic, frame);
      case 'published':
        return this.answered(frame['msgRef'] as string, 'accepted');
      case 'error':
        if (typeof frame['msgRef'] === 'string') this.answered(frame['msgRef'], 'refused', frame['error']);
        else if (!this.subscriptions.refused(topic, frame['error'])) this.announced = undefined;
        return;
      case 'presenceList':
        return this.presenceList(
          frame['roomId'] as string,
          frame['data'] as readonly { actorTokenId: string }[],
        );
    }
  }

  private admitted(frame: Frame): void {
    if (frame['success'] !== true) return this.vanish('not admitted');
    this.state = 'open';
    this.subscriptions.restored(frame['restoredSubscriptions'] as readonly Restored[], this.openedAt);
  }

  private message(topic: string, frame: Frame): void {
    const { time, history, chance } = this.world;
    const id = frame['data'] as number;
    const isReplay = frame['isReplay'] === true;
    const subscription = this.subscriptions.of(topic);
    history.deliveries.push({
      ...{ connection: this.number, actor: this.actor.actorTokenId, topic, id, at: time.now },
      subscription: this.subscriptions.isSettled(topic) ? subscription : undefined,
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
    if (!isGranted && error !== 'unknown_topic') return;
    const { actor, room, sentAt: askedAt, answeredAt } = message;
    this.world.history.rightsUsed.push({ actor, room, kind: 'publish', isGranted, askedAt, answeredAt });
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

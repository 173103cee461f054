import { decode, encode } from '@msgpack/msgpack';
import type { Place } from '../cluster/cluster.js';
import type { Meta } from '../run/history.js';
import type { HandedOut } from '../run/jobs.js';
import type { Gap, RecordRequest } from '../run/historyReads.js';
import type { Attempt, Published } from '../run/published.js';
import type { Bookmarks } from './bookmarks.js';
import { OwnRooms } from './ownRooms.js';
import { OwnSubscriptions, type Restored, type Wish } from './ownSubscriptions.js';
import { SimulatedSocket } from './simulatedSocket.js';
import type { Actor, World } from './world.js';
import { work } from './worker.js';

type Frame = Readonly<Record<string, unknown>>;

export interface Opening {
  readonly world: World;
  readonly actor: Actor;
  readonly place: Place;
  /** Names the client among those of the actor. */
  readonly clientId: string;
  /** Whether the subscriptions of its last connection are wanted back. */
  readonly reconnect: boolean;
  readonly bookmarks: Bookmarks;
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
  readonly rooms = new OwnRooms();
  /** Answers to `getPresence`, by room. */
  readonly presences = new Map<string, { readonly at: number; readonly actors: readonly string[] }>();
  private readonly world: World;
  private readonly socket: SimulatedSocket | undefined;
  private readonly unanswered = new Map<string, Attempt>();
  private readonly asked = new Map<string, RecordRequest & { readonly askedAt: number }>();
  private readonly bookmarks: Bookmarks;
  private readonly onOver: () => void;
  private readonly openedAt: number;
  private requests = 0;

  constructor({ world, actor, place, clientId, reconnect, bookmarks }: Opening, onOver: () => void) {
    this.world = world;
    this.bookmarks = bookmarks;
    this.actor = actor;
    this.openedAt = world.time.now;
    this.subscriptions = new OwnSubscriptions(world, this.number, actor.actorTokenId);
    this.gateway = place.machine.name;
    this.onOver = onOver;
    this.socket = SimulatedSocket.open(place, world.cluster.network, {
      onFrame: (payload) => this.take(payload),
      onClosed: (code) => {
        world.history.closed(this.number);
        this.over(`closed with ${code}`);
      },
    });
    this.tell(`connects to ${this.gateway}`);
    if (this.socket === undefined) this.over('refused');
    this.send({ type: 'auth', token: actor.token, protocolVersion: 2, clientId, reconnect });
    world.time.after(undefined, answersWithinMs, () => {
      if (this.state === 'opening') this.vanish('not answered');
    });
  }

  subscribe(wish: Wish): void {
    const { topic, group, jobs, filter, meta, own, start, refusesGaps } = wish;
    if (!this.subscriptions.ask(topic, wish)) return;
    const inGroup = group !== undefined && { loadBalance: true, loadBalanceGroup: group };
    const asked = {
      ...(filter !== undefined && { filters: [filter] }),
      ...(meta && { meta }),
      ...(own && { own }),
      ...(start && { from: start }),
      ...(refusesGaps && { onGap: 'refuse' }),
      ...(jobs && { jobs }),
    };
    this.send({ type: 'subscribe', topic, ...asked, ...inGroup });
  }

  unsubscribe(topic: string): void {
    if (this.subscriptions.ask(topic, undefined)) this.send({ type: 'unsubscribe', topic });
  }

  /** [WS-HIST-12] */
  askRecord(request: RecordRequest): void {
    const ref = `r${(this.requests += 1)}`;
    this.asked.set(ref, { ...request, askedAt: this.world.time.now });
    const { topic, before, after, limit } = request;
    const end = { ...(before !== undefined && { before }), ...(after !== undefined && { after }) };
    this.send({ type: 'history', topic, ref, limit, ...end });
  }

  /** For the first time, or again. */
  publish(message: Published): void {
    const { id: data, topic, qos, filter, isRetained, givenId } = message;
    const attempt = this.world.history.attempt(message, this.number);
    const msgRef = `${data}.${message.attempts.length}`;
    this.unanswered.set(msgRef, attempt);
    const options = {
      ...(filter !== undefined && { filter }),
      ...(isRetained && { retain: true }),
      ...(givenId !== undefined && { id: givenId }),
    };
    this.send({ type: 'publish', topic, data, qos, msgRef, ...options });
  }

  announce(room: string, appSlug: string, keep: boolean): void {
    this.rooms.announced(room, keep);
    this.send({
      type: 'presence',
      roomId: `${appSlug}/${room}`,
      data: { n: this.number },
      ...(keep && { keep }),
    });
  }

  leaveRoom(room: string, appSlug: string): void {
    this.rooms.left(room);
    this.send({ type: 'presence', roomId: `${appSlug}/${room}`, leave: true });
  }

  count(room: string, appSlug: string): void {
    this.rooms.asked(room);
    this.send({ type: 'presence', roomId: `${appSlug}/${room}`, mode: 'count' });
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
    this.rooms.doubt(room);
  }

  private over(why: string): void {
    if (this.state === 'over') return;
    this.state = 'over';
    this.tell(why);
    this.subscriptions.endAll();
    for (const attempt of this.unanswered.values()) attempt.isOver = true;
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
        this.subscriptions.subscribed(topic, frame);
        return this.bookmarks.subscribed(this.subscriptions.of(topic));
      case 'replayStart':
        return this.bookmarks.replayBegins(this.subscriptions.of(topic), frame['count'] as number);
      case 'replayEnd':
        return this.bookmarks.replayed(this.subscriptions.of(topic));
      case 'history':
        return this.answered(frame);
      case 'unsubscribed':
        return this.subscriptions.unsubscribed(topic);
      case 'message':
        return this.message(topic, frame);
      case 'published':
        return this.published(frame);
      case 'error':
        if (typeof frame['ref'] === 'string') return void this.asked.delete(frame['ref']);
        if (typeof frame['msgRef'] === 'string') this.refused(frame['msgRef'], frame['error'] as string);
        else if (!this.subscriptions.refused(topic, frame['error'])) this.rooms.refused(slugOf(topic));
        return;
      case 'presenceCount':
        return this.rooms.told(slugOf(frame['roomId'] as string), frame['present'] as number);
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
    const meta = frame['meta'] as Meta | undefined;
    const subscription = this.subscriptions.of(topic);
    history.deliveries.push({
      ...{ connection: this.number, actor: this.actor.actorTokenId, topic, id, at: time.now, isReplay, meta },
      subscription: this.subscriptions.isSettled(topic) ? subscription : undefined,
      wasOwn: this.subscriptions.wasOwn(topic),
    });
    if (this.subscriptions.hasEnded(topic))
      history.violated('WS-HIST-6', `connection ${this.number} got message ${id} after its refusal`);
    subscription?.received.push({ id, at: time.now, isReplay });
    if (meta?.position !== undefined) this.bookmarks.set(topic, meta.position);
    if (typeof frame['msgId'] !== 'string') return;
    const { msgId, delivery = 1 } = frame as { msgId: string; delivery?: number };
    if (subscription === undefined ? this.subscriptions.wasMember(topic) : subscription.jobs !== undefined)
      this.handedOut({ topic, id, msgId, delivery, isCertain: subscription !== undefined });
    if (subscription?.group === undefined || subscription.jobs !== undefined) return;
    time.after(undefined, chance.next() * 200, () => this.send({ type: 'ack', msgId }));
  }

  /** [WS-JOB-2] */
  private handedOut(given: Omit<HandedOut, 'connection' | 'at' | 'answers'>): void {
    const { world } = this;
    const job: HandedOut = { ...given, connection: this.number, at: world.time.now, answers: [] };
    world.history.jobs.push(job);
    work(world, job, (frame) => {
      if (this.state === 'open') this.send(frame);
      return this.state === 'open';
    });
  }

  private answered(frame: Frame): void {
    const asked = this.asked.get(frame['ref'] as string);
    this.asked.delete(frame['ref'] as string);
    if (asked === undefined) return;
    const { time, history, chance } = this.world;
    const { next, gap } = frame as { next?: string; gap?: Gap };
    const messages = (frame['messages'] as readonly { data: number; position: string }[]).map(
      ({ data: id, position }) => ({ id, position }),
    );
    history.recordReads.push({
      ...{ ...asked, answeredAt: time.now, by: `connection ${this.number}`, messages, next, gap },
    });
    if (next === undefined || chance.below(3) === 0) return;
    const { topic, limit, after } = asked;
    this.askRecord({ topic, limit, ...(after === undefined ? onBefore(next) : onAfter(next)) });
  }

  private published(frame: Frame): void {
    const attempt = this.awaited(frame['msgRef'] as string);
    if (attempt === undefined) return;
    const { history } = this.world;
    const { id, givenId } = attempt.message;
    if (frame['id'] !== givenId)
      history.violated('WS-ONCE-2', `message ${id} was answered as ${String(frame['id'])}`);
    history.answered(attempt, frame['duplicate'] === true ? 'duplicate' : 'accepted');
  }

  private refused(ref: string, error: string): void {
    const attempt = this.awaited(ref);
    if (attempt !== undefined) this.world.history.answered(attempt, 'refused', error);
  }

  private awaited(ref: string): Attempt | undefined {
    const attempt = this.unanswered.get(ref);
    this.unanswered.delete(ref);
    return attempt;
  }

  private presenceList(room: string, data: readonly { actorTokenId: string }[]): void {
    const actors = data.map(({ actorTokenId }) => actorTokenId).sort();
    this.presences.set(room, { at: this.world.time.now, actors });
  }

  private tell(what: string): void {
    this.world.history.happened(`client ${this.number} ${what}`);
  }
}

/** Of an address that has the app before it. */
const slugOf = (address = ''): string => address.split('/')[1] ?? '';

const onBefore = (position: string) => ({ before: position, after: undefined });
const onAfter = (position: string) => ({ before: undefined, after: position });

const textOf = (frame: Frame): string =>
  JSON.stringify(frame, (name, value: unknown) => (name === 'token' || name === 'hint' ? undefined : value));

import type { TimedEvent } from '../time/eventQueue.js';
import { Bookmarks } from './bookmarks.js';
import { Connection } from './connection.js';
import type { Wish } from './ownSubscriptions.js';
import { anyPage, anyStart, anyTopic, filters, newMessage, repeatedMessage } from './publications.js';
import { anyJobOptions } from './worker.js';
import { groupNames, isKept, type Actor, type Estate, type World } from './world.js';

const beatMs = 25_000;
/** Between two things that a client does. */
const longestThoughtMs = 900;
const longestAbsenceMs = 4_000;
const longestRushMs = 60;

/** A client: it comes and goes, and does in a random order what the protocol offers. */
export class Client {
  connection: Connection | undefined;
  private readonly bookmarks = new Bookmarks();
  private readonly world: World;
  private readonly name: string;
  private readonly actorOf: () => Actor | undefined;
  private beatAt = 0;
  private pending: TimedEvent | undefined;

  constructor(world: World, name: string, actorOf: () => Actor | undefined) {
    this.world = world;
    this.name = name;
    this.actorOf = actorOf;
  }

  start(): void {
    this.next(this.world.chance.next() * longestAbsenceMs);
  }

  /** Leaves where it is, and comes back at once. */
  rush(): void {
    this.connection?.leave();
    this.connection = undefined;
    this.next(this.world.chance.next() * longestRushMs);
  }

  private next(ms: number): void {
    if (this.pending) this.pending.run = undefined;
    this.pending = this.world.time.after(undefined, ms, () => this.act());
  }

  private act(): void {
    const { world, connection } = this;
    const { estate, chance } = world;
    if (estate === undefined) return this.next(1_000);
    if (connection === undefined) {
      if (!this.connect()) this.next(1_000);
      return;
    }
    if (connection.state === 'open') {
      if (world.time.now >= this.beatAt) this.beat(connection);
      if (world.isBusy) this.doSomething(connection, estate);
      else this.publishSomething(connection, estate);
    }
    // Otherwise it goes on when the connection has been told to be over.
    if (connection.state !== 'over') this.next(20 + chance.next() ** 2 * longestThoughtMs);
  }

  private connect(): boolean {
    const { world } = this;
    const actor = this.actorOf();
    const place = world.chance.oneOf(world.cluster.gateways);
    if (actor === undefined || actor.isLeaving || place.service === undefined) return false;
    const reconnect = world.chance.below(2) === 0;
    const { bookmarks, name: clientId } = this;
    const connection = new Connection({ world, actor, place, clientId, reconnect, bookmarks }, () => {
      // It may have come back already.
      if (this.connection !== connection) return;
      this.connection = undefined;
      this.next(world.chance.next() * longestAbsenceMs);
    });
    this.connection = connection;
    this.beatAt = world.time.now + beatMs;
    this.next(200);
    return true;
  }

  private beat(connection: Connection): void {
    this.beatAt = this.world.time.now + beatMs;
    connection.beat();
  }

  private doSomething(connection: Connection, estate: Estate): void {
    const { chance } = this.world;
    const { room, topic, name } = anyTopic(this.world, estate);
    const dice = chance.below(100);
    if (dice < 22) connection.subscribe({ room, topic, ...this.options(topic, name) });
    else if (dice < 26) connection.unsubscribe(topic);
    else if (dice < 73) this.publish(connection, room, topic);
    else if (dice < 84) this.publishAgain(connection);
    else if (dice < 88 && isKept(name)) connection.askRecord(anyPage(this.world, topic, this.bookmarks));
    else if (dice < 90) connection.announce(room, estate.appSlug, chance.below(2) === 0);
    else if (dice < 91) connection.leaveRoom(room, estate.appSlug);
    else if (dice < 92) connection.count(room, estate.appSlug);
    else if (dice < 94) connection.askPresence(room, estate.appSlug);
    else if (dice < 96) connection.watchLobby(estate.appSlug);
    else if (dice < 97) connection.leave();
    else if (dice < 98) connection.vanish('vanishes');
  }

  /** What was not answered is published again until it is. */
  private publishSomething(connection: Connection, estate: Estate): void {
    const { world } = this;
    if (!world.isSteady || world.chance.below(5) === 0) return this.publishAgain(connection);
    const { room, topic } = anyTopic(world, estate);
    this.publish(connection, room, topic);
  }

  private publishAgain(connection: Connection): void {
    const message = repeatedMessage(this.world, connection.actor.actorTokenId);
    if (message !== undefined) connection.publish(message);
  }

  private options(topic: string, name: string): Omit<Wish, 'room' | 'topic'> {
    const { chance } = this.world;
    const isMember = chance.below(4) > 0;
    return {
      group: isMember ? groupNames.get(name) : undefined,
      jobs: isMember && name === 'tasks' ? anyJobOptions(this.world) : undefined,
      filter: chance.below(4) === 0 ? chance.oneOf(filters) : undefined,
      meta: chance.below(3) === 0,
      own: chance.below(3) === 0,
      start: isKept(name) && chance.below(3) > 0 ? anyStart(this.world, topic, this.bookmarks) : undefined,
      refusesGaps: isKept(name) && chance.below(5) === 0,
    };
  }

  /** Often several in one go, so that their order matters. */
  private publish(connection: Connection, room: string, topic: string): void {
    const { chance } = this.world;
    const burst = chance.below(4) === 0 ? 1 + chance.below(4) : 1;
    const qos = chance.oneOf([0, 1, 1, 1, 2]);
    for (let n = 0; n < burst; n += 1)
      connection.publish(newMessage(this.world, connection.actor.actorTokenId, { room, topic }, qos));
  }
}

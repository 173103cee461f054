import { setTimeout as pause } from 'node:timers/promises';
import { type Frame, LinkEnded } from './link.js';
import { type Ground, Participant } from './participant.js';
import { PresenceView, type Present } from './presenceView.js';
import type { SoakRoom } from './rooms.js';
import type { Topic } from './messages.js';
import { inTurn } from '../generator/pace.js';

/** Sees every message of every topic from the beginning, and so knows their order. It publishes nothing. */
class Onlooker extends Participant {
  protected override begin(): void {
    // It is promised everything: `Topic` and `Ledger` know what that is.
  }

  protected override onMessage(frame: Frame): void {
    const { ledger, findings } = this.ground;
    const { id } = frame.data as { readonly id: number };
    const sent = ledger.find(id);
    this.timed('delivery', id);
    if (sent !== undefined && sent.topic.address === frame.topic) sent.topic.seen(sent);
    else findings.violated(`the onlooker received a message that was never sent: ${id}`);
  }
}

/** Watches who is present in the whole app. */
class LobbyWatcher extends Participant {
  private view: PresenceView | undefined;

  get told(): Present {
    return this.view?.present ?? new Map();
  }

  async watch(): Promise<void> {
    await this.connect();
    const lobbyId = this.ground.place.appSlug;
    await this.link.ask({ type: 'lobbySubscribe', lobbyId }, 'lobbySubscribed', ({ presence }) => {
      this.view = new PresenceView(presence, this.ground.findings);
    });
  }

  override onFrame(frame: Frame): void {
    if (frame.type !== 'lobbyPresence') return super.onFrame(frame);
    this.ground.findings.count('lobby events');
    this.view?.told(frame);
  }
}

const crew = 'crew';

const awayMs = { least: 100, most: 5_000 };

/** Comes, takes part, and goes, again and again. */
export class Guest extends Participant {
  /** It has all its subscriptions and its place. */
  isReady = false;
  /** Of which groups it is a member. */
  works: 'nowhere' | 'at jobs' | 'at jobs and tasks' = 'nowhere';
  private isBusy = false;
  private said = 0;

  /** Until it is over, and the last connection has ended. */
  async live(isOver: () => boolean): Promise<void> {
    while (!isOver()) {
      await this.attempt(() => this.settleIn());
      if (!this.isReady && this.isConnected) this.end('lose');
      await this.gone;
      this.isReady = false;
      await pause(this.ground.chance.between(awayMs.least, awayMs.most));
    }
  }

  /** Does something of its own accord, unless it is at something already. */
  async act(): Promise<void> {
    if (this.isBusy || !this.isReady || !this.isConnected) return;
    await this.attempt(() => this.whatever(this.ground.chance.next()));
  }

  private whatever(dice: number): Promise<void> {
    const { chance, place } = this.ground;
    if (dice < 0.5) return this.go(dice < 0.02 ? 'fall silent' : dice < 0.25 ? 'leave' : 'lose');
    if (dice < 0.65) return this.say(this.room);
    if (dice < 0.75) return this.say(chance.of(place.rooms));
    if (dice < 0.88) return this.refilter(this.room.chat, this.someFilter());
    return this.comeAndGo(this.room.chat);
  }

  private async comeAndGo(topic: Topic): Promise<void> {
    await this.unsubscribe(topic);
    await this.subscribe(topic, { filter: this.someFilter() });
  }

  private async go(how: Parameters<Participant['end']>[0]): Promise<void> {
    this.isReady = false;
    this.end(how);
  }

  private async settleIn(): Promise<void> {
    await this.connect();
    const { chat, state, jobs, tasks } = this.room;
    if (!this.isSubscribed(chat)) await this.subscribe(chat, { filter: this.someFilter() });
    if (!this.isSubscribed(state)) await this.subscribe(state);
    const groups = this.works === 'nowhere' ? [] : this.works === 'at jobs' ? [jobs] : [jobs, tasks];
    for (const topic of groups) if (!this.isSubscribed(topic)) await this.subscribe(topic, { group: crew });
    await this.say(this.room);
    this.isReady = true;
  }

  private async say({ slug }: SoakRoom): Promise<void> {
    this.said += 1;
    await this.announce(slug, { said: this.said });
  }

  private async attempt(what: () => Promise<void>): Promise<void> {
    this.isBusy = true;
    try {
      await what();
    } catch (error) {
      if (!(error instanceof LinkEnded)) this.ground.findings.violated(String(error));
    } finally {
      this.isBusy = false;
    }
  }

  private someFilter(): string | undefined {
    return this.ground.chance.of([undefined, undefined, 'even', 'odd']);
  }
}

/** The actor types and numbers of those who take part. */
export interface Tokens {
  readonly users: readonly string[];
  readonly agents: readonly string[];
  readonly staff: readonly string[];
}

export const staffNeeded = 5;
const agentShare = 0.2;
const roomsPerTaskRoom = 10;
const joinsAtOnce = 25;

export const agentsAmong = (clients: number): number => Math.round(clients * agentShare);

/** All participants. The staff stays for the whole run, so that its knowledge is complete. */
export interface Crowd {
  readonly guests: readonly Guest[];
  readonly onlooker: Onlooker;
  /** Publishes the values that are retained. */
  readonly herald: Participant;
  /** Is a member of every group whose members must not all be gone. */
  readonly foreman: Participant;
  readonly watchers: readonly LobbyWatcher[];
  readonly taskRooms: readonly SoakRoom[];
}

export const makeCrowd = (ground: Ground, tokens: Tokens): Crowd => {
  const { rooms } = ground.place;
  const roomOf = (index: number): SoakRoom => rooms[index % rooms.length] as SoakRoom;
  const taskRooms = rooms.filter((_, index) => index % roomsPerTaskRoom === 0);
  let actors = 0;
  const guest = (token: string, index: number, isAgent: boolean): Guest => {
    const made = new Guest(ground, ++actors, roomOf(index), token, isAgent);
    if (isAgent) made.works = taskRooms.includes(made.room) ? 'at jobs and tasks' : 'at jobs';
    return made;
  };
  const guests = [
    ...tokens.agents.map((token, index) => guest(token, index, true)),
    ...tokens.users.map((token, index) => guest(token, index, false)),
  ];
  const seat = (index: number) => [ground, ++actors, roomOf(0), tokens.staff[index] ?? '', false] as const;
  return {
    guests,
    onlooker: new Onlooker(...seat(0)),
    herald: new Participant(...seat(1)),
    foreman: new Participant(...seat(2)),
    watchers: [new LobbyWatcher(...seat(3)), new LobbyWatcher(...seat(4))],
    taskRooms,
  };
};

/** Before the guests come. */
export const bringInStaff = async (
  { onlooker, herald, foreman, watchers }: Crowd,
  { place }: Ground,
): Promise<void> => {
  await onlooker.connect();
  for (const topic of place.topics.values()) await onlooker.subscribe(topic);
  await herald.connect();
  await foreman.connect();
  for (const { jobs } of place.rooms) await foreman.subscribe(jobs, { group: crew });
  for (const watcher of watchers) await watcher.watch();
};

/** A group whose members are all gone sleeps only once it has had one. */
export const foundTaskGroups = async ({ guests }: Crowd): Promise<void> => {
  const workers = guests.filter(({ works }) => works === 'at jobs and tasks');
  await inTurn(workers.length, joinsAtOnce, async (index) => {
    const worker = workers[index] as Guest;
    await worker.connect();
    await worker.subscribe(worker.room.tasks, { group: crew });
    worker.end('lose');
  });
};

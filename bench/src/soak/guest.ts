import { setTimeout as pause } from 'node:timers/promises';
import { LinkEnded } from './link.js';
import { Participant } from './participant.js';
import type { SoakRoom } from './rooms.js';
import type { Topic } from './topic.js';

export const crew = 'crew';

const awayMs = { least: 100, most: 5_000 };

/** Comes, takes part, and goes, again and again. */
export class Guest extends Participant {
  /** It has all its subscriptions and its place. */
  isReady = false;
  /** Of which groups it is a member. */
  works: 'nowhere' | 'at jobs' | 'at jobs and tasks' = 'nowhere';
  #isBusy = false;
  #said = 0;

  /** Until it is over, and the last connection has ended. */
  async live(isOver: () => boolean): Promise<void> {
    while (!isOver()) {
      await this.#attempt(() => this.#settleIn());
      if (!this.isReady && this.isConnected) this.end('lose');
      await this.gone;
      this.isReady = false;
      await pause(this.ground.chance.between(awayMs.least, awayMs.most));
    }
  }

  /** Does something of its own accord, unless it is at something already. */
  async act(): Promise<void> {
    if (this.#isBusy || !this.isReady || !this.isConnected) return;
    await this.#attempt(() => this.#whatever(this.ground.chance.next()));
  }

  #whatever(dice: number): Promise<void> {
    const { chance, place } = this.ground;
    if (dice < 0.5) return this.#go(dice < 0.02 ? 'fall silent' : dice < 0.25 ? 'leave' : 'lose');
    if (dice < 0.65) return this.#say(this.room);
    if (dice < 0.75) return this.#say(chance.of(place.rooms));
    if (dice < 0.88) return this.refilter(this.room.chat, this.#someFilter());
    return this.#comeAndGo(this.room.chat);
  }

  async #comeAndGo(topic: Topic): Promise<void> {
    await this.unsubscribe(topic);
    await this.subscribe(topic, { filter: this.#someFilter() });
  }

  async #go(how: Parameters<Participant['end']>[0]): Promise<void> {
    this.isReady = false;
    this.end(how);
  }

  async #settleIn(): Promise<void> {
    await this.connect();
    const { chat, state, jobs, tasks } = this.room;
    if (!this.isSubscribed(chat)) await this.subscribe(chat, { filter: this.#someFilter() });
    if (!this.isSubscribed(state)) await this.subscribe(state);
    const groups = this.works === 'nowhere' ? [] : this.works === 'at jobs' ? [jobs] : [jobs, tasks];
    for (const topic of groups) if (!this.isSubscribed(topic)) await this.subscribe(topic, { group: crew });
    await this.#say(this.room);
    this.isReady = true;
  }

  async #say({ slug }: SoakRoom): Promise<void> {
    this.#said += 1;
    await this.announce(slug, { said: this.#said });
  }

  async #attempt(what: () => Promise<void>): Promise<void> {
    this.#isBusy = true;
    try {
      await what();
    } catch (error) {
      if (!(error instanceof LinkEnded)) this.ground.findings.violated(String(error));
    } finally {
      this.#isBusy = false;
    }
  }

  #someFilter(): string | undefined {
    return this.ground.chance.of([undefined, undefined, 'even', 'odd']);
  }
}

import { setTimeout as pause } from 'node:timers/promises';
import type { Crowd, Guest } from './crowd.js';
import type { Ground, Participant } from './participant.js';

export interface Rates {
  /** A second, of all clients together. */
  readonly messages: number;
  readonly actions: number;
}

const stepMs = 20;
/** What is due and could not be done for so long is not made up for: it would be more at once than a client may do. */
const patienceMs = 200;
const beatMs = 25_000;
const lookMs = 50;
/** In messages: what has not come since then will not come. */
const longAgo = 100_000;

/** Lets the crowd publish and act at a steady rate. */
export class Load {
  private readonly ground: Ground;
  private readonly crowd: Crowd;
  private readonly rates: Rates;
  private readonly timers: NodeJS.Timeout[] = [];
  private isOver = false;
  private lives: Promise<unknown> = Promise.resolve();

  constructor(ground: Ground, crowd: Crowd, rates: Rates) {
    this.ground = ground;
    this.crowd = crowd;
    this.rates = rates;
  }

  /** The guests begin to come. */
  open(): void {
    const { guests, onlooker, herald, foreman, watchers } = this.crowd;
    this.lives = Promise.all(guests.map((guest) => guest.live(() => this.isOver)));
    const participants: readonly Participant[] = [...guests, onlooker, herald, foreman, ...watchers];
    this.timers.push(
      setInterval(() => {
        for (const participant of participants) participant.beat();
        this.ground.ledger.forgetUnknown(longAgo);
      }, beatMs),
    );
  }

  /** Until the returned function is called. */
  run(): () => void {
    let last = performance.now();
    let [messages, actions, published] = [0, 0, 0];
    const step = (): void => {
      const now = performance.now();
      const seconds = Math.min(patienceMs, now - last) / 1000;
      last = now;
      messages += seconds * this.rates.messages;
      actions += seconds * this.rates.actions;
      for (; messages >= 1; messages -= 1, published += 1) this.publish(published);
      for (; actions >= 1; actions -= 1) void this.ground.chance.of(this.crowd.guests).act();
    };
    const timer = setInterval(step, stepMs);
    return () => clearInterval(timer);
  }

  /** Admits no more guests. Resolves when the guests have left. */
  async close(): Promise<void> {
    this.isOver = true;
    let haveGone = false;
    void this.lives.then(() => (haveGone = true));
    while (!haveGone) {
      for (const guest of this.crowd.guests) if (guest.isConnected) guest.end('leave');
      await pause(lookMs);
    }
    for (const timer of this.timers) clearInterval(timer);
  }

  private publish(count: number): void {
    const { chance, place } = this.ground;
    const { herald, taskRooms } = this.crowd;
    if (count % 20 === 0) return herald.publish(chance.of(place.rooms).state, true);
    const isTask = count % 20 === 1;
    const guest = this.someGuest(isTask);
    if (guest === undefined) return;
    if (isTask) guest.publish(chance.of(taskRooms).tasks);
    else if (count % 10 === 2) guest.publish(chance.of(place.rooms).jobs);
    else guest.publish(chance.happens(0.8) ? guest.room.chat : chance.of(place.rooms).chat);
  }

  /** What the only member of a group publishes is not the group's: so tasks come from others. */
  private someGuest(isTask: boolean): Guest | undefined {
    const { chance } = this.ground;
    for (let tries = 0; tries < 20; tries += 1) {
      const guest = chance.of(this.crowd.guests);
      const isAllowed = !isTask || guest.works !== 'at jobs and tasks';
      if (isAllowed && guest.isReady && guest.isConnected && !guest.isSilent) return guest;
    }
    return undefined;
  }
}

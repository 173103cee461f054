import { setTimeout as pause } from 'node:timers/promises';
import { EngineUnavailable } from '../../../ports/errors.js';
import { isAnswer } from './untilAnswered.js';

export interface Connectable {
  connect(): Promise<void>;
  disconnect(): Promise<void>;
}

export interface Held<Client extends Connectable> {
  readonly client: Client;
  /** Ends its connections, whatever it thinks of them. */
  readonly cut: () => void;
}

/** Is told of every use. */
export interface Outcome {
  answered(): void;
  failed(): void;
}

const politeForMs = 2_000;

/** Lets a client take its leave; one that cannot, because nobody answers, is cut off. */
export const disconnect = async <Client extends Connectable>({
  client,
  cut,
}: Held<Client>): Promise<void> => {
  const waiting = new AbortController();
  const patience = pause(politeForMs, undefined, { signal: waiting.signal }).catch(() => undefined);
  await Promise.race([client.disconnect().catch(() => undefined), patience]);
  waiting.abort();
  cut();
};

/**
 * A connected client. It is made when it is first needed, and anew after a failure: what a client of the library
 * remembers of a broker that went away is the source of most of its silent stalls.
 */
export class Renewable<Client extends Connectable> {
  readonly #make: () => Held<Client>;
  readonly #outcome: Outcome;
  #held: Held<Client> | undefined;
  #connected: Promise<Client> | undefined;
  #isOpen = true;

  constructor(make: () => Held<Client>, outcome: Outcome) {
    this.#make = make;
    this.#outcome = outcome;
  }

  current(): Promise<Client> {
    if (!this.#isOpen) return Promise.reject(new EngineUnavailable('message bus'));
    return (this.#connected ??= this.#connect());
  }

  /** Its other users may still get their answers; a client that was given up before is no longer the current one. */
  giveUp(client: Client): void {
    if (this.#held?.client !== client) return;
    const held = this.#held;
    this.#held = undefined;
    this.#connected = undefined;
    void disconnect(held);
  }

  async close(): Promise<void> {
    this.#isOpen = false;
    if (this.#held) await disconnect(this.#held);
  }

  /** The use of a client by one that tries again by itself. */
  async use<T>(action: (client: Client) => Promise<T>): Promise<T> {
    const client = await this.current();
    try {
      const result = await action(client);
      this.#outcome.answered();
      return result;
    } catch (error) {
      if (isAnswer(error)) throw error;
      this.giveUp(client);
      this.#outcome.failed();
      throw error;
    }
  }

  async #connect(): Promise<Client> {
    const held = this.#make();
    this.#held = held;
    try {
      await held.client.connect();
      return held.client;
    } catch (error) {
      this.giveUp(held.client);
      this.#outcome.failed();
      throw error;
    }
  }
}

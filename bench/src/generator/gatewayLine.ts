import { Arrivals } from '../hop/arrivals.js';
import type { Line } from '../hop/line.js';
import type { Connection } from './connection.js';
import { HopPublisher } from './hopPublisher.js';
import { HopSubscriber } from './hopSubscriber.js';
import type { HopJob } from './jobs.js';
import { admitted, subscribed } from './join.js';

/** Publishing connections at one gateway, a subscriber at another. */
export class GatewayLine implements Line {
  onProgress: (() => void) | undefined;
  readonly arrivals: Arrivals;
  readonly lanes: HopPublisher[] = [];
  readonly #connections: Connection[] = [];
  readonly #subscriber: HopSubscriber;
  #failure: Error | undefined;

  private constructor({ publishers }: HopJob) {
    this.arrivals = new Arrivals(publishers);
    this.#subscriber = new HopSubscriber(this.arrivals, () => this.onProgress?.());
  }

  static async open(job: HopJob): Promise<GatewayLine> {
    const line = new GatewayLine(job);
    try {
      const { subscribePort, subscriberToken, publishPort, publisherToken, topic } = job;
      line.#keep(await subscribed(subscribePort, subscriberToken, topic)).receiver = line.#subscriber;
      for (let index = 0; index < job.publishers; index += 1) {
        const connection = line.#keep(await admitted(publishPort, publisherToken));
        line.lanes.push(new HopPublisher(connection, topic, () => line.onProgress?.()));
      }
      return line;
    } catch (error) {
      line.close();
      throw error;
    }
  }

  check(): void {
    if (this.#failure) throw this.#failure;
    const parts = [this.#subscriber, ...this.lanes];
    const unexpected = parts.find((part) => part.unexpected > 0)?.unexpected;
    if (unexpected !== undefined) throw new Error(`${unexpected} frames were neither messages nor answers`);
  }

  close(): void {
    this.#failure ??= new Error('The line is closed');
    for (const connection of this.#connections) connection.end();
  }

  #keep(connection: Connection): Connection {
    this.#connections.push(connection);
    void connection.closed.then((error) => (this.#failure ??= error));
    return connection;
  }
}

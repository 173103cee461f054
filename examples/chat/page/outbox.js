/** What may pass. Whether the message was published is not always known: with its id it is delivered once, however often it is sent. */
const passing = [
  'not_connected',
  'connection_lost',
  'request_timeout',
  'broker_unavailable',
  'rate_limit_exceeded',
];
const pauseMs = 1_000;

/** Publishes what is typed, in its order, and each line once, however often the connection is lost. */
export class Outbox {
  #client;
  #topic;
  #thread;
  #last = Promise.resolve();

  constructor(client, topic, thread) {
    this.#client = client;
    this.#topic = topic;
    this.#thread = thread;
  }

  add(text) {
    const id = crypto.randomUUID();
    this.#thread.showSending(id, text);
    this.#last = this.#last.then(() => this.#send(id, text));
  }

  async #send(id, text) {
    for (;;)
      try {
        await this.#client.ready();
        await this.#client.publish(this.#topic, { text }, { id });
        return this.#thread.accepted(id);
      } catch (error) {
        if (!passing.includes(error.error)) return this.#thread.failed(id, error.error ?? error.message);
        await new Promise((resolve) => setTimeout(resolve, pauseMs));
      }
  }
}

export interface Stoppable {
  stop(): Promise<void>;
}

/** What a scenario has started, so that it is ended whatever happens. */
export class Started {
  readonly #running: Stoppable[] = [];

  add<T extends Stoppable>(running: T): T {
    this.#running.push(running);
    return running;
  }

  async stop(): Promise<void> {
    await Promise.all(this.#running.splice(0).map((running) => running.stop()));
  }
}

/** Gives `work` something to keep what it starts, and ends all of that afterwards. */
export const withStarted = async <T>(work: (started: Started) => Promise<T>): Promise<T> => {
  const started = new Started();
  try {
    return await work(started);
  } finally {
    await started.stop();
  }
};

import { type Child, startModule } from './children.js';

type Answer<R> = { readonly result: R } | { readonly failure: string };

/** A process that does one job at a time. */
export interface Worker<J, R> {
  readonly processId: number;
  run(job: J): Promise<R>;
  stop(): Promise<void>;
}

export const startWorker = <J, R>(module: URL, core: number | undefined): Worker<J, R> => {
  const child = startModule(module, core);
  return {
    processId: child.processId,
    run: (job) => ask<J, R>(child, job),
    stop: () => child.stop(),
  };
};

const ask = <J, R>(child: Child, job: J): Promise<R> =>
  new Promise((resolve, reject) => {
    const ended = (): void => reject(new Error('A worker has ended'));
    if (child.process.exitCode !== null || child.process.signalCode !== null) return ended();
    child.process.once('exit', ended);
    child.process.once('message', (message: unknown) => {
      child.process.off('exit', ended);
      const answer = message as Answer<R>;
      if ('failure' in answer) reject(new Error(answer.failure));
      else resolve(answer.result);
    });
    child.process.send(job as object);
  });

/** The other side: answers jobs until the process that asked is gone. */
export const serveJobs = <J, R>(handle: (job: J) => Promise<R>): void => {
  const answer = (message: Answer<R>): void => void process.send?.(message);
  process.on('message', (job: J) => {
    handle(job).then(
      (result) => answer({ result }),
      (error: unknown) =>
        answer({ failure: error instanceof Error ? (error.stack ?? error.message) : String(error) }),
    );
  });
  process.once('disconnect', () => process.exit());
};

import { startWorker } from '../process/worker.js';
import type { GeneratorJob, ResultOf } from './jobs.js';

/** The load generator in a process of its own. */
export interface Generator {
  run<J extends GeneratorJob>(job: J): Promise<ResultOf<J>>;
  stop(): Promise<void>;
}

export const startGenerator = (core: number | undefined): Generator => {
  const worker = startWorker<GeneratorJob, ResultOf<GeneratorJob>>(
    new URL('./main.js', import.meta.url),
    core,
  );
  return {
    run: <J extends GeneratorJob>(job: J) => worker.run(job) as Promise<ResultOf<J>>,
    stop: () => worker.stop(),
  };
};

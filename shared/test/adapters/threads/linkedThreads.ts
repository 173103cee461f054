import { MessageChannel } from 'node:worker_threads';
import { ThreadLink } from '../../../src/adapters/threads/threadLink.js';
import { silentLogger } from '@roomwire/testing/fakes/loggers';

export interface LinkedThreads {
  readonly here: ThreadLink;
  readonly there: ThreadLink;
  /** As where one of them ends. */
  close(): void;
}

/** Both ends of a link in this thread: what goes over it is cloned, and arrives later, as between two. */
export const linkedThreads = (): LinkedThreads => {
  const { port1, port2 } = new MessageChannel();
  const [here, there] = [new ThreadLink(port1, silentLogger), new ThreadLink(port2, silentLogger)];
  return {
    here,
    there,
    close: () => {
      here.close();
      there.close();
      port1.close();
    },
  };
};

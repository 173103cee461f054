import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { BroadcastChannel, isMainThread } from 'node:worker_threads';

/** Loaded before a program: it then collects its garbage when it gets SIGUSR2, in all of its threads, so that what it holds can be told. */
setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;
// Only the main thread hears of signals.
const threads = new BroadcastChannel('collect');
if (isMainThread) {
  process.on('SIGUSR2', () => {
    threads.postMessage('collect');
    collect();
  });
} else threads.onmessage = collect;
threads.unref();

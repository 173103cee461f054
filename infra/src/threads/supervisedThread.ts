import { setTimeout as pause } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { ThreadLink } from '@roomwire/shared/adapters/threads/threadLink';
import type { Logger } from '@roomwire/shared/ports/logger';
import { once } from '@roomwire/shared/runtime/service';
import { backOffMs, withTimeout, type BackOff } from '@roomwire/shared/runtime/waiting';
import { addUp, counters, type Collected } from './collected.js';
import { DescriptorSlots } from './descriptorSlots.js';
import type { ThreadSettings } from './gatewayThread.js';
import type { HandedOver } from './handedOver.js';
import { ThreadWatch, type WatchBounds } from './threadWatch.js';

export interface SupervisedThreadDeps {
  readonly number: number;
  /** What it runs. */
  readonly file: URL;
  readonly settings: Omit<ThreadSettings, 'slots' | 'beats'>;
  /** Gives the thread its ports, until it has ended. */
  readonly serve: (link: ThreadLink, thread: number) => { close(): Promise<void> };
  readonly logger: Logger;
  readonly betweenStarts?: BackOff;
  readonly watchBounds?: WatchBounds;
}

interface Running {
  readonly worker: Worker;
  readonly link: ThreadLink;
  readonly slots: DescriptorSlots;
  readonly watch: ThreadWatch;
  /** Resolves with what it has died of, once nothing of it is left. */
  readonly ended: Promise<unknown>;
  sockets: number;
}

const defaultBetweenStarts = { firstMs: 250, longestMs: 5_000 };

/** Whoever asks for metrics asks because something is slow. */
const patienceMs = 2_000;
/** Whoever ends the process waits 30 s for all of it. */
const closesWithinMs = 10_000;

/** One thread of the gateway. Where it dies, or is stuck, it is started anew, and nothing else of the process ends with it. */
export class SupervisedThread {
  readonly close = once(() => this.stop());
  private readonly deps: SupervisedThreadDeps;
  private readonly closing = new AbortController();
  private running: Running | undefined;
  private starting: Promise<void> | undefined;
  private restarting: Promise<void> | undefined;
  private restarted = 0;
  private isDraining = false;
  private shown: readonly Collected[] = [];
  /** What threads in this place had counted when they died. */
  private left: readonly Collected[] = [];

  constructor(deps: SupervisedThreadDeps) {
    this.deps = deps;
  }

  get isRunning(): boolean {
    return this.running?.link.isOpen ?? false;
  }

  /** Whether it can be expected to answer. */
  get isAnswering(): boolean {
    return this.isRunning && this.blockedSeconds === 0;
  }

  /** For how long its event loop has not turned; 0 where it does. */
  get blockedSeconds(): number {
    return this.running?.watch.blockedSeconds ?? 0;
  }

  get restarts(): number {
    return this.restarted;
  }

  get sockets(): number {
    return this.running?.sockets ?? 0;
  }

  /** The share of time in which its event loop was at work, since it began. */
  get utilization(): number {
    return this.running?.worker.performance.eventLoopUtilization().utilization ?? 0;
  }

  /** Rejects with what has ended it meanwhile. */
  start(): Promise<void> {
    return (this.starting = this.open());
  }

  /** False where it cannot be given any more. */
  give(given: HandedOver): boolean {
    const { running } = this;
    if (!running?.link.isOpen) return false;
    const slot = running.slots.put(given.descriptor);
    if (slot === undefined) return false;
    running.sockets += 1;
    running.link.tell('gateway', 'take', slot, given);
    return true;
  }

  async drain(overMs: number): Promise<void> {
    this.isDraining = true;
    // One that has died has none to drain, and the one in its place would take clients that are on their way elsewhere.
    if (this.running === undefined) this.closing.abort();
    await this.asked('drain', overMs + patienceMs, overMs).catch(() => undefined);
  }

  /** What it shows, or showed last where it does not answer, and what those before it have counted. */
  async collect(): Promise<readonly (readonly Collected[])[]> {
    const { running } = this;
    if (running === undefined) return [this.left];
    if (!this.isAnswering) return [this.left, this.shown];
    const asked = running.link.call<readonly Collected[]>('gateway', 'collect').catch(() => undefined);
    const shown = await withTimeout(patienceMs, asked, () => undefined);
    // It may have died meanwhile, and is among those before it then.
    if (this.running !== running) return [this.left];
    this.shown = shown ?? this.shown;
    return [this.left, this.shown];
  }

  private async open(): Promise<void> {
    const { number, file, settings, serve, logger, watchBounds } = this.deps;
    const slots = new DescriptorSlots();
    const watch = new ThreadWatch({
      ...{ thread: number, logger, bounds: watchBounds },
      end: () => void worker.terminate(),
    });
    const worker = new Worker(file, {
      workerData: { ...settings, slots: slots.slots, beats: watch.beats } satisfies ThreadSettings,
      name: `gateway ${number}`,
    });
    const link = new ThreadLink(worker, logger);
    const served = serve(link, number);
    let cause: unknown;
    worker.on('error', (error) => (cause = error));
    const exited = new Promise<void>((resolve) =>
      worker.once('exit', () => {
        // At once: a descriptor that is given later would be nobody's.
        watch.stop();
        link.close();
        slots.closeAll();
        resolve();
      }),
    );
    const ended = exited.then(async () => {
      await served.close();
      return cause;
    });
    const running: Running = { worker, link, slots, watch, ended, sockets: 0 };
    link.serve('threads', { closed: () => void (running.sockets -= 1) });
    const terminate = (): void => void worker.terminate();
    this.closing.signal.addEventListener('abort', terminate);
    try {
      await link.call('gateway', 'start');
    } catch (error) {
      await worker.terminate();
      throw (await ended) ?? error;
    } finally {
      this.closing.signal.removeEventListener('abort', terminate);
    }
    this.running = running;
    watch.start();
    void ended.then((error) => this.onEnded(running, error));
  }

  /** One that is blocked would not hear of it, and one that is blocked from now on is not waited for. */
  private async asked(what: 'drain' | 'close', withinMs: number, ...given: unknown[]): Promise<void> {
    if (!this.isAnswering) return;
    const done = this.running?.link.call<void>('gateway', what, ...given);
    await withTimeout(withinMs, Promise.resolve(done), () => {
      throw new Error(`It has not done it within ${withinMs} ms`);
    });
  }

  private onEnded(running: Running, error: unknown): void {
    if (this.running !== running) return;
    this.running = undefined;
    this.left = addUp([this.left, counters(this.shown)]);
    this.shown = [];
    if (this.closing.signal.aborted) return;
    const { logger, number: thread } = this.deps;
    logger.error('A thread of the gateway has died, and its connections with it', { thread, error });
    if (this.isDraining) return;
    this.restarted += 1;
    this.restarting = this.startAgain();
  }

  private async startAgain(): Promise<void> {
    const { logger, number: thread, betweenStarts = defaultBetweenStarts } = this.deps;
    const { signal } = this.closing;
    for (let tries = 1; this.running === undefined; tries += 1) {
      try {
        await pause(backOffMs(betweenStarts, tries), undefined, { signal });
        await this.start();
      } catch (error) {
        if (signal.aborted) return;
        logger.error('A thread of the gateway could not be started; trying again', { thread, error });
      }
    }
  }

  private async stop(): Promise<void> {
    this.closing.abort();
    await this.starting?.catch(() => undefined);
    await this.restarting;
    const { running } = this;
    await this.asked('close', closesWithinMs).catch((error: unknown) => {
      this.deps.logger.warn('A thread of the gateway did not close in order', { error });
    });
    await running?.worker.terminate();
    await running?.ended;
  }
}

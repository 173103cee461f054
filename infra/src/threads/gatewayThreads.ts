import type { Buffer } from 'node:buffer';
import { closeSync } from 'node:fs';
import type { IncomingMessage, Server } from 'node:http';
import type { Duplex } from 'node:stream';
import { asksForWebSocket, ignoreUpgrade, refuseUpgrade } from '@roomwire/gateway/socket/upgrade';
import type { CollectMetrics } from '@roomwire/shared/ports/metrics';
import { addUp, collected, show } from './collected.js';
import type { Descriptors } from './descriptors.js';
import { handOver } from './handedOver.js';
import { SupervisedThread, type SupervisedThreadDeps } from './supervisedThread.js';

export interface GatewayThreadsDeps extends Omit<SupervisedThreadDeps, 'number'> {
  readonly count: number;
  readonly descriptors: Descriptors;
  /** The metrics of the gateway of this thread. */
  readonly own: CollectMetrics;
}

/** The threads that have the sockets of a gateway: this one accepts connections, and gives each to the thread that has the fewest. */
export class GatewayThreads {
  private readonly threads: readonly SupervisedThread[];
  private readonly descriptors: Descriptors;
  private readonly own: CollectMetrics;
  private next = 0;

  constructor({ count, descriptors, own, ...deps }: GatewayThreadsDeps) {
    this.descriptors = descriptors;
    this.own = own;
    this.threads = Array.from(
      { length: count },
      (_, at) => new SupervisedThread({ ...deps, number: at + 1 }),
    );
  }

  /** Rejects where any of them cannot be started; those that were have to be closed then, too. */
  async start(): Promise<void> {
    await Promise.all(this.threads.map((thread) => thread.start()));
  }

  attach(server: Server): void {
    server.on('upgrade', (request, socket, head) => {
      if (asksForWebSocket(request)) this.give(request, socket, head);
      else ignoreUpgrade(server, request, socket, head);
    });
  }

  /** Why nobody can be served; undefined while a thread answers, where those that are missing come back. */
  hindrance(): string | undefined {
    if (this.threads.some(({ isAnswering }) => isAnswering)) return undefined;
    const isAnyRunning = this.threads.some(({ isRunning }) => isRunning);
    return isAnyRunning ? 'every thread of the gateway is blocked' : 'no thread of the gateway runs';
  }

  async drain(overMs: number): Promise<void> {
    await Promise.all(this.threads.map((thread) => thread.drain(overMs)));
  }

  readonly collect: CollectMetrics = async (sink) => {
    const shown = await Promise.all(this.threads.map((thread) => thread.collect()));
    show(addUp([await collected(this.own), ...shown.flat()]), sink);
    sink.value('roomwire_gateway_threads', this.threads.filter(({ isRunning }) => isRunning).length);
    for (const [at, { restarts, sockets, utilization, blockedSeconds }] of this.threads.entries()) {
      const labels = { thread: String(at + 1) };
      sink.value('roomwire_gateway_thread_restarts_total', restarts, labels);
      sink.value('roomwire_gateway_thread_sockets', sockets, labels);
      sink.value('roomwire_gateway_thread_utilization', utilization, labels);
      sink.value('roomwire_gateway_thread_blocked_seconds', blockedSeconds, labels);
    }
  };

  async close(): Promise<void> {
    await Promise.all(this.threads.map((thread) => thread.close()));
  }

  private give(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    const thread = this.leastBusy();
    if (thread === undefined) return refuseUpgrade(socket, '503 Service Unavailable');
    const given = handOver(this.descriptors, request, socket, head);
    if (given !== undefined && !thread.give(given)) closeSync(given.descriptor);
  }

  /** Of those that have equally few, each in its turn. */
  private leastBusy(): SupervisedThread | undefined {
    let found: SupervisedThread | undefined;
    for (let tried = 0; tried < this.threads.length; tried += 1) {
      const thread = this.threads[(this.next + tried) % this.threads.length] as SupervisedThread;
      if (thread.isAnswering && (found === undefined || thread.sockets < found.sockets)) found = thread;
    }
    this.next += 1;
    return found;
  }
}

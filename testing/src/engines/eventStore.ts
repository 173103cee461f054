import { mkdtemp, mkdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { EventStoreControl } from './event-store/control.js';
import { runServer } from './event-store/serverHandle.js';

export interface EventStoreOptions {
  readonly port?: number;
  /** Kept when the engine is closed; without it, the files are in a temporary folder that is removed. */
  readonly dataDir?: string;
}

export interface EventStoreEngine extends EventStoreControl {
  /** For `ROOMWIRE_EVENTSTORE_URL`. */
  readonly url: string;
  readonly port: number;
  /** Resolves when the process has ended. */
  kill(signal: NodeJS.Signals): Promise<void>;
  /** The server stays connected and answers nothing. */
  pause(): void;
  resume(): void;
  /** On the same port and the same files. */
  restart(): Promise<void>;
  close(): Promise<void>;
}

/**
 * A stand-in for EventStoreDB in a process of its own: there is no such server to be had from the registries. It speaks
 * the client's protocol, keeps what it acknowledges through SIGKILL, and can be told to misbehave.
 */
export const startEventStore = async (options: EventStoreOptions = {}): Promise<EventStoreEngine> => {
  const folder = options.dataDir ?? (await mkdtemp(join(tmpdir(), 'roomwire-eventstore-')));
  await mkdir(folder, { recursive: true });
  let server = await runServer(options.port ?? 0, folder);
  const { port } = server;
  const stop = async (): Promise<void> => {
    if (server.isRunning) await server.kill('SIGKILL');
  };
  return {
    port,
    url: `esdb://127.0.0.1:${port}?tls=false`,
    kill: (signal) => server.kill(signal),
    pause: () => server.pause(),
    resume: () => server.resume(),
    restart: async () => {
      await stop();
      server = await runServer(port, folder);
    },
    close: async () => {
      await stop();
      if (!options.dataDir) await rm(folder, { recursive: true, force: true });
    },
    swallowAnswers: (count) => server.ask('swallowAnswers', count),
    spoilAnswers: (count) => server.ask('spoilAnswers', count),
    refuseAppends: (count) => server.ask('refuseAppends', count),
    pointToLeader: (leaderPort) => server.ask('pointToLeader', leaderPort),
    dropSubscriptions: () => server.ask('dropSubscriptions'),
    endSubscriptions: () => server.ask('endSubscriptions'),
    silenceSubscriptions: () => server.ask('silenceSubscriptions'),
    sendCheckpoint: (position) => server.ask('sendCheckpoint', position),
    subscriptionStarts: () => server.ask('subscriptionStarts'),
    eventsSent: () => server.ask('eventsSent'),
    writeSystemEvents: (count) => server.ask('writeSystemEvents', count),
  };
};

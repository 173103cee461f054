import { connect, type Client, type ClientOptions, type ConnectionState } from '../../src/index.js';
import type { RoomwireError } from '../../src/index.js';
import { ManualTime } from './manualTime.js';
import { Queue } from './queue.js';
import { ScriptedBroker, type Frame, type Peer } from './scriptedBroker.js';

export const topic = 'chat/lobby/lines';

/** Without chance and with plain numbers: waits of 1000, 3000, 5000, 5000 … */
export const plainBackoff = {
  baseMs: 1_000,
  multiplier: 3,
  maxMs: 5_000,
  jitter: 0,
  restartSpreadMs: 300,
  earlyMs: [],
  wellMs: 10_000,
} as const;

/** A client with all that it has told its listeners. */
export interface Watched {
  readonly client: Client;
  readonly states: Queue<ConnectionState>;
  readonly errors: Queue<RoomwireError>;
}

/** Broker and time for a test; whatever the test opens is closed after it. */
export class Harness {
  broker!: ScriptedBroker;
  time!: ManualTime;
  private clients: Client[] = [];

  /** Time advances only when the test lets it pass. */
  open(options: Partial<ClientOptions> = {}): Watched {
    const client = connect({
      url: this.broker.url,
      token: 'at_live_1.secret',
      reconnect: plainBackoff,
      random: () => 0.5,
      schedule: this.time.schedule,
      now: this.time.now,
      ...options,
    });
    this.clients.push(client);
    const states = new Queue<ConnectionState>();
    const errors = new Queue<RoomwireError>();
    client.on('state', (state) => states.push(state));
    client.on('error', (error) => errors.push(error));
    return { client, states, errors };
  }

  /** An authenticated client and the server's end of its connection. */
  async connected(
    options: Partial<ClientOptions> = {},
    reply: Partial<Frame> = {},
  ): Promise<Watched & { readonly peer: Peer }> {
    const watched = this.open(options);
    const peer = await this.broker.nextPeer();
    await peer.accept(reply);
    await watched.client.ready();
    await watched.states.next();
    return { ...watched, peer };
  }

  async start(): Promise<void> {
    this.broker = await ScriptedBroker.start();
    this.time = new ManualTime();
  }

  async stop(): Promise<void> {
    // The broker first: it ends the connections that would else wait for their closing handshake.
    await this.broker.close();
    await Promise.all(this.clients.splice(0).map((client) => client.close()));
  }
}

export const useHarness = (): Harness => {
  const harness = new Harness();
  beforeEach(() => harness.start());
  afterEach(() => harness.stop());
  return harness;
};

/** The error with which a promise rejects. */
export const rejection = async (promise: Promise<unknown>): Promise<RoomwireError> => {
  try {
    await promise;
  } catch (error) {
    return error as RoomwireError;
  }
  throw new Error('The promise did not reject');
};

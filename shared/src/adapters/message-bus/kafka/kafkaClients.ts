import { EngineUnavailable } from '../../../ports/errors.js';
import type { OutageReport } from '../../../runtime/outage.js';
import { sleep, withTimeout } from '../../../runtime/waiting.js';
import type {
  Connectable,
  KafkaAdmin,
  KafkaClient,
  LeaderFinder,
  PartitionReader,
  PartitionWriter,
} from './kafkaClient.js';
import { createKafkaClient, noRetries } from './kafkajs/kafkajsClient.js';
import type { KafkaConnection } from './kafkaSettings.js';
import { Renewable } from './renewableClient.js';
import type { ConsumerContext } from './supervisedConsumer.js';

const betweenProbesMs = 500;
/** A slower broker is of no use to a caller that waits. */
const answersWithinMs = 2_000;

/** Whether the brokers answered the last request. After a failure it probes until they do. */
export class Reachability {
  private readonly probe: () => Promise<unknown>;
  private readonly outage: OutageReport | undefined;
  private readonly closing = new AbortController();
  private hasAnswered = true;
  private isProbing = false;
  /** Under way. */
  private doubt: Promise<void> | undefined;

  constructor(probe: () => Promise<unknown>, outage?: OutageReport) {
    this.probe = probe;
    this.outage = outage;
  }

  get isReachable(): boolean {
    return this.hasAnswered;
  }

  answered(): void {
    if (this.closing.signal.aborted) return;
    this.hasAnswered = true;
    this.outage?.over();
  }

  failed(error: unknown): void {
    if (this.closing.signal.aborted) return;
    this.outage?.failed(new EngineUnavailable('message bus', { cause: error }));
    this.hasAnswered = false;
    if (!this.isProbing) void this.probeUntilAnswered();
  }

  /** Something took long or failed, for which there may be other reasons. Resolves with whether they answer. */
  async doubted(): Promise<boolean> {
    if (this.hasAnswered && !this.isProbing)
      this.doubt ??= this.asked()
        .catch((error: unknown) => this.failed(error))
        .finally(() => (this.doubt = undefined));
    await this.doubt;
    return this.hasAnswered;
  }

  close(): void {
    this.hasAnswered = false;
    this.closing.abort();
  }

  /** Rejects where they do not answer. */
  private async asked(): Promise<void> {
    const tooLate = (): never => {
      throw new Error(`No answer within ${answersWithinMs} ms`);
    };
    await withTimeout(answersWithinMs, this.probe(), tooLate, { unref: true });
  }

  private async probeUntilAnswered(): Promise<void> {
    const { signal } = this.closing;
    this.isProbing = true;
    while (!this.hasAnswered && !signal.aborted) {
      await sleep(betweenProbesMs, signal);
      await this.asked().then(
        () => this.answered(),
        () => undefined,
      );
    }
    this.isProbing = false;
  }
}

/** The clients of one bus: one that asks, one that looks for leaders, one that reads back, and one for each leader and consumer. */
export interface KafkaClients {
  readonly reachability: Reachability;
  readonly admin: Renewable<KafkaAdmin>;
  readonly leaders: Renewable<LeaderFinder>;
  readonly writerTo: (leader: number) => Renewable<PartitionWriter>;
  readonly reader: Renewable<PartitionReader>;
  readonly consumers: ConsumerContext;
  close(): Promise<void>;
}

export const createKafkaClients = (connection: KafkaConnection): KafkaClients => {
  const { logger, outage } = connection;
  const reachability = new Reachability(() => admin.use((client) => client.countBrokers()), outage);
  // One broker of several may be away: whether others answer is asked before anything is refused.
  const outcome = { answered: () => reachability.answered(), failed: () => void reachability.doubted() };
  const renewable = <Client extends Connectable>(
    create: (client: KafkaClient) => Client,
  ): Renewable<Client> =>
    new Renewable(() => {
      const client = createKafkaClient(connection, noRetries);
      return { client: create(client), cut: client.cut };
    }, outcome);
  const admin = renewable((client) => client.admin());
  const leaders = renewable((client) => client.leaderFinder());
  const writers = new Map<number, Renewable<PartitionWriter>>();
  const reader = renewable((client) => client.reader());
  return {
    reachability,
    admin,
    leaders,
    writerTo: (leader) => {
      const writer = writers.get(leader) ?? renewable((client) => client.writerTo(leader));
      writers.set(leader, writer);
      return writer;
    },
    reader,
    consumers: { client: () => createKafkaClient(connection), outcome: reachability, logger },
    close: async () => {
      reachability.close();
      await Promise.all([admin, leaders, ...writers.values(), reader].map((client) => client.close()));
    },
  };
};

import { setMaxListeners } from 'node:events';
import type { Logger } from '@roomwire/shared/ports/logger';
import type { ChannelReader, MessageBus } from '@roomwire/shared/ports/messageBus';
import { backOffMs, sleep } from '@roomwire/shared/runtime/waiting';
import { everyProcess, jobNews, processKey, type JobNews } from '@roomwire/shared/wire/bus/jobNews';
import { SecondCopies } from './secondCopies.js';

export interface JobLinkDeps {
  /** Of this process. */
  readonly id: string;
  readonly bus: Pick<MessageBus, 'read' | 'send'>;
  readonly logger: Logger;
}

/** One that fails may be passed by so many others. */
const sentAtOnce = 500;
const betweenTries = { firstMs: 50, longestMs: 2_000 };

/** What processes say to one another about jobs. Records of one process to one address keep their order, and come once. */
export class JobLink {
  private readonly deps: JobLinkDeps;
  private reader: ChannelReader | undefined;
  private readonly lanes = new Map<string, JobNews[]>();
  /** How many records were sent to each address. */
  private readonly numbers = new Map<string, number>();
  private readonly secondCopies = new SecondCopies();
  private readonly closing = new AbortController();
  private readonly subscribed = new Set<string>();

  constructor(deps: JobLinkDeps) {
    this.deps = deps;
    // Each address that waits for the bus listens to it.
    setMaxListeners(0, this.closing.signal);
  }

  get id(): string {
    return this.deps.id;
  }

  /** Must be called first. */
  async start(take: (news: JobNews) => void): Promise<void> {
    this.reader = await this.deps.bus.read(jobNews, { interest: 'subscribed' }, (news) => {
      if (this.subscribed.has(news.to) && !this.secondCopies.isOne(news)) take(news);
    });
    await this.subscribe(everyProcess);
    await this.subscribe(processKey(this.deps.id));
  }

  /** Resolves when everything that is sent to the address from now on is taken. */
  async subscribe(address: string): Promise<void> {
    this.subscribed.add(address);
    await this.reader?.subscribe(address);
  }

  /** As `subscribe`; tries on where the bus is out of reach. False where it is not wanted any more. */
  async subscribeWhile(address: string, isWanted: () => boolean): Promise<boolean> {
    for (let failures = 1; isWanted() && !this.closing.signal.aborted; failures++)
      try {
        await this.subscribe(address);
        return isWanted();
      } catch (error) {
        this.deps.logger.debug('News of jobs do not come yet', { address, error });
        await sleep(backOffMs(betweenTries, failures), this.closing.signal);
      }
    return false;
  }

  unsubscribe(address: string): void {
    if (this.subscribed.delete(address)) this.reader?.unsubscribe(address);
  }

  /** Sent until the bus has stored it, or this is closed. */
  send(news: JobNews): void {
    const { to } = news;
    const number = (this.numbers.get(to) ?? 0) + 1;
    this.numbers.set(to, number);
    const numbered: JobNews = { ...news, sent: [this.deps.id, number] };
    const lane = this.lanes.get(to);
    if (lane !== undefined) return void lane.push(numbered);
    const opened = [numbered];
    this.lanes.set(to, opened);
    void this.sendAll(to, opened);
  }

  async close(): Promise<void> {
    this.closing.abort();
    await this.reader?.close();
  }

  private async sendAll(address: string, lane: JobNews[]): Promise<void> {
    for (let failures = 1; lane.length > 0 && !this.closing.signal.aborted;) {
      const waiting = lane.splice(0, sentAtOnce);
      try {
        await Promise.all(waiting.map((news) => this.store(news)));
        failures = 1;
      } catch (error) {
        // Some may be stored: by their numbers they are not taken again.
        lane.unshift(...waiting);
        this.deps.logger.debug('News of jobs did not reach others yet', { address, error });
        await sleep(backOffMs(betweenTries, failures++), this.closing.signal);
      }
    }
    this.lanes.delete(address);
  }

  /** What is too large for the bus is left out: those behind it would wait for ever. Whoever waits for it asks again, or gives up. */
  private async store(news: JobNews): Promise<void> {
    const { bus, logger } = this.deps;
    try {
      await bus.send(jobNews, news, 'stored');
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      logger.error('News of jobs are too large for the bus', { address: news.to, kind: news.kind, error });
    }
  }
}

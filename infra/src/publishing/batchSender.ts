import { backOffMs, sleep } from '@roomwire/shared/runtime/waiting';
import { PublishRefused, type BatchAnswer, type MessageResult, type PublishApi } from './publishApi.js';

export interface BatchSenderOptions {
  readonly api: PublishApi;
  /** Ends the waits; a request that is under way is waited for. */
  readonly signal: AbortSignal;
  /** Attempts in a row of which none gets on, before it rejects. */
  readonly attempts: number;
  /** Told before each wait. */
  readonly onTrouble: (why: string) => void;
  /** Resolves after the time, or when the signal aborts; for tests. */
  readonly wait?: (milliseconds: number, signal: AbortSignal) => Promise<void>;
}

/** What passes, and may be asked for again with the same id. */
const passing = new Set(['rate_limit_exceeded', 'broker_unavailable']);

const waits = { firstMs: 1_000, longestMs: 30_000 };
const longestRetryAfterMs = 300_000;

/** Publishes messages that have ids, so that those whose answer was lost are sent again. */
export class BatchSender {
  private readonly options: BatchSenderOptions;

  constructor(options: BatchSenderOptions) {
    this.options = options;
  }

  /**
   * Resolves with the final results, in the order of the messages, which is kept. Each is added to `results` as soon as it is known, and holds when
   * this rejects: with `PublishRefused` when the API refuses everything, or no attempt gets on; with the signal's reason when that aborts.
   */
  async send(messages: readonly string[], results: MessageResult[] = []): Promise<readonly MessageResult[]> {
    let [rest, failures] = [messages, 0];
    while (rest.length > 0) {
      const answer = await this.ask(rest);
      if (answer.is === 'malformed' && rest.length > 1) return this.sendHalves(rest, results);
      const settled = settledOf(answer);
      results.push(...settled);
      rest = rest.slice(settled.length);
      if (rest.length === 0) break;
      failures = settled.length > 0 ? 1 : failures + 1;
      await this.pause(answer, settled.length, failures);
    }
    return results;
  }

  private ask(messages: readonly string[]): Promise<BatchAnswer> {
    const { api, signal } = this.options;
    signal.throwIfAborted();
    return api.publish(messages);
  }

  /** One bad message makes the API refuse them all: the others are found by halves. */
  private async sendHalves(
    messages: readonly string[],
    results: MessageResult[],
  ): Promise<readonly MessageResult[]> {
    const half = Math.ceil(messages.length / 2);
    await this.send(messages.slice(0, half), results);
    return this.send(messages.slice(half), results);
  }

  private async pause(answer: BatchAnswer, settled: number, failures: number): Promise<void> {
    const { attempts, signal, onTrouble, wait = sleep } = this.options;
    const why = whyNot(answer, settled);
    if (failures >= attempts) throw new PublishRefused(`Gave up after ${attempts} attempts: ${why}`);
    const afterMs = answer.is === 'unsettled' ? answer.afterMs : undefined;
    const milliseconds = Math.min(longestRetryAfterMs, afterMs ?? backOffMs(waits, failures));
    onTrouble(`${why}; trying again in ${Math.ceil(milliseconds / 1_000)} s`);
    await wait(milliseconds, signal);
  }
}

/** Those in front of the first that is to be tried again, so that none overtakes it. */
const settledOf = (answer: BatchAnswer): readonly MessageResult[] => {
  if (answer.is === 'malformed') return [{ error: 'invalid_message', hint: answer.why }];
  if (answer.is === 'unsettled') return [];
  const first = answer.results.findIndex(isPassing);
  return first === -1 ? answer.results : answer.results.slice(0, first);
};

const isPassing = (result: MessageResult): boolean => 'error' in result && passing.has(result.error);

const whyNot = (answer: BatchAnswer, settled: number): string => {
  if (answer.is !== 'answered') return answer.why;
  const result = answer.results[settled];
  return result !== undefined && 'error' in result ? result.error : 'No answer';
};

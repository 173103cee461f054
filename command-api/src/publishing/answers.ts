import { EngineUnavailable } from '@roomwire/shared/ports/errors';
import type { PublishResult } from '@roomwire/shared/ports/publishing';
import type { ProtocolErrorName } from '@roomwire/shared/wire/protocol/protocolErrors';
import { presentProtocolError, protocolErrorAnswer } from '../http/protocolErrors.js';
import { presentAccepted, type Published } from './resource.js';

/** What is known of the request besides the results of its messages. */
export interface Answering {
  readonly isBatch: boolean;
  /** Unix milliseconds. */
  readonly now: number;
  /** Until the API key may publish another message, in milliseconds. */
  readonly waitMs: number;
}

/** The answer to a request. Throws where it is not 200: an `ErrorAnswer` for one message, `EngineUnavailable` without the bus. */
export const answerPublished = (results: readonly PublishResult[], answering: Answering): Published => {
  const isAccepted = results.some((result) => 'id' in result);
  const isBusAway = results.some((result) => 'error' in result && result.error === 'brokerUnavailable');
  if (isBusAway && !isAccepted) throw new EngineUnavailable('message bus');
  if (answering.isBatch) return { results: results.map(presentResult) };
  const [result] = results;
  if (result === undefined) throw new TypeError('A request publishes a message at least');
  if ('error' in result) throw protocolErrorAnswer(result.error, retryAfter(result.error, answering));
  return presentAccepted(result);
};

const presentResult = (result: PublishResult) =>
  'error' in result ? presentProtocolError(result.error) : presentAccepted(result);

const retryAfter = (error: ProtocolErrorName, { now, waitMs }: Answering): Record<string, string> => {
  if (error === 'rateLimited') return inSeconds(waitMs);
  return error === 'quotaExceeded' ? inSeconds(endOfMonth(now) - now) : {};
};

const inSeconds = (ms: number): Record<string, string> => ({
  'Retry-After': `${Math.max(1, Math.ceil(ms / 1_000))}`,
});

/** When the quota of a project begins anew: the month is that of UTC. */
const endOfMonth = (now: number): number => {
  const date = new Date(now);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 1);
};

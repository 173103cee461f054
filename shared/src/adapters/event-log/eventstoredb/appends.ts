import {
  ErrorType,
  NO_STREAM,
  type AppendExpectedRevision,
  type AppendResult as ClientResult,
  type EventData,
} from '@eventstore/db-client';
import { setTimeout as pause } from 'node:timers/promises';
import type { AppendedEvent, RecordedEvent } from '../../../domain/eventEnvelope.js';
import type { Clock } from '../../../ports/clock.js';
import { AppendTooLarge, RevisionConflict } from '../../../ports/errors.js';
import type { AppendResult, ExpectedRevision } from '../../../ports/eventLog.js';
import type { Random } from '../../../ports/random.js';
import { answerWithin, asEngineFailure, isOfType, isTransient, type Connection } from './connection.js';
import type { OutageReport } from '../../../runtime/outage.js';
import { isKnown, logPositionOf, proposedEvent } from './storedEvents.js';
import type { Reads } from './reads.js';
import { backOffMs, chanceOf, withJitter } from '../../../runtime/waiting.js';

export interface AppendTimes {
  /** An append without an answer is sent again after this time. */
  readonly answersWithinMs: number;
  /** Limit of the total time of an append, with all its attempts. */
  readonly givesUpAfterMs: number;
}

export interface AppendsDeps extends AppendTimes {
  readonly connection: Connection;
  readonly outage: OutageReport;
  readonly reads: Reads;
  readonly clock: Clock;
  readonly random: Random;
  readonly streamPrefix: string;
}

export interface Append {
  readonly stream: string;
  readonly expected: ExpectedRevision;
  readonly events: readonly AppendedEvent[];
}

/**
 * The client cancels a call at its deadline, and a call that is cancelled half-way looks to the server like one that is
 * complete: half an append would be stored. So the deadline is far away, and the caller just stops waiting for the answer.
 */
const deadline = 600_000;
const attempts = 4;
const betweenAttempts = { firstMs: 50, longestMs: 400 };
/** No further attempt begins with less time left. */
const shortestAttemptMs = 200;

/**
 * Sends an append until there is an answer, with the same ids and the same expected revision, so that it is written once
 * whatever the outcome of earlier tries.
 */
export const createAppends = (deps: AppendsDeps) => {
  const { connection, outage, clock, random } = deps;

  return async (append: Append): Promise<AppendResult> => {
    const events = append.events.map(proposedEvent);
    const giveUpAt = clock.monotonic() + deps.givesUpAfterMs;
    const leftMs = (): number => giveUpAt - clock.monotonic();
    for (let attempt = 1; ; attempt += 1) {
      const { client } = connection;
      try {
        const withinMs = Math.min(deps.answersWithinMs, leftMs());
        const result = await answerWithin(withinMs, send(deps, append, events));
        outage.over();
        return result;
      } catch (error) {
        if (error instanceof RevisionConflict) throw error;
        if (isOfType(error, ErrorType.MAXIMUM_APPEND_SIZE_EXCEEDED))
          throw new AppendTooLarge({ cause: error });
        if (!isTransient(error)) throw asEngineFailure(error, outage);
        connection.renew(client, error);
        const wait = withJitter(backOffMs(betweenAttempts, attempt), chanceOf(random));
        if (attempt === attempts || leftMs() - wait < shortestAttemptMs) throw asEngineFailure(error, outage);
        await pause(wait);
      }
    }
  };
};

const send = async (
  deps: AppendsDeps,
  append: Append,
  events: readonly EventData[],
): Promise<AppendResult> => {
  const { stream, expected } = append;
  const expectedRevision: AppendExpectedRevision = expected === 'none' ? NO_STREAM : BigInt(expected);
  try {
    const { client } = deps.connection;
    const options = { expectedRevision, deadline, requiresLeader: true };
    const result = await client.appendToStream(deps.streamPrefix + stream, [...events], options);
    return await resultOf(deps, append, result);
  } catch (error) {
    if (!isOfType(error, ErrorType.WRONG_EXPECTED_VERSION)) throw error;
    return firstResult(deps, append);
  }
};

const resultOf = async (deps: AppendsDeps, append: Append, result: ClientResult): Promise<AppendResult> => {
  const { success, position, nextExpectedRevision } = result;
  if (success && isKnown(position)) {
    return { revision: Number(nextExpectedRevision), position: logPositionOf(position) };
  }
  // A conflict, when the URL has the client not throw; or a repeated append, for which a server may give no position.
  return firstResult(deps, append);
};

/** The earlier result of the same append, where its events are already at these revisions. */
const firstResult = async (
  { reads, streamPrefix }: AppendsDeps,
  { stream, expected, events }: Append,
): Promise<AppendResult> => {
  const first = expected === 'none' ? 0 : expected + 1;
  const standing: RecordedEvent[] = [];
  for await (const batch of reads.stream(streamPrefix + stream, first, events.length))
    standing.push(...batch);
  const last = standing[events.length - 1];
  const same = events.every(({ id }, index) => standing[index]?.id === id);
  if (!same || last === undefined) throw new RevisionConflict(stream);
  return { revision: last.revision, position: last.position };
};

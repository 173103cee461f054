import { useEffect, useState } from 'react';
import { answerOf } from '../../api/failure.js';
import type { Schemas } from '../../api/schemas.js';
import { useProject } from '../../session/console.js';

export interface SeenOutcome {
  readonly key: number;
  readonly outcome: Schemas['WebhookOutcome'];
}

export interface OutcomesSeen {
  /** The newest first, at most 200. */
  readonly rows: readonly SeenOutcome[];
  /** All that came since the page is open, and those of them without a 2xx. */
  readonly total: number;
  readonly failed: number;
  /** Some were left out: there were more than the service keeps. */
  readonly hasGap: boolean;
  readonly isWatching: boolean;
  readonly error: Error | undefined;
}

const mostRows = 200;
const retryMs = 3_000;
const none: OutcomesSeen = {
  ...{ rows: [], total: 0, failed: 0, hasGap: false, isWatching: false, error: undefined },
};

const pause = (ms: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener('abort', () => {
      clearTimeout(timer);
      resolve();
    });
  });

/** Attempts of webhook calls from now on: one request after another, each of which waits for the next ones. */
export const useOutcomes = (failedOnly: boolean): OutcomesSeen => {
  const { sessionApi, organizationId: orgId, projectId } = useProject();
  const [seen, setSeen] = useState(none);
  useEffect(() => {
    const stopping = new AbortController();
    const { signal } = stopping;
    setSeen(none);
    let cursor: string | undefined;
    let key = 0;

    const next = async (): Promise<void> => {
      const query = {
        projectId,
        ...(failedOnly ? { failed: 'true' as const } : {}),
        ...(cursor === undefined ? {} : { cursor }),
      };
      const params = { path: { orgId }, query };
      const answer = await answerOf(
        sessionApi.GET('/organizations/{orgId}/webhook-outcomes', { params, signal }),
      );
      ({ cursor } = answer);
      const rows = answer.data.map((outcome) => ({ key: (key += 1), outcome })).reverse();
      setSeen((before) => ({
        rows: rows.length === 0 ? before.rows : [...rows, ...before.rows].slice(0, mostRows),
        total: before.total + rows.length,
        failed: before.failed + rows.filter(({ outcome }) => outcome.outcome !== '2xx').length,
        hasGap: before.hasGap || answer.gap,
        isWatching: true,
        error: undefined,
      }));
    };

    const watch = async (): Promise<void> => {
      while (!signal.aborted)
        try {
          await next();
        } catch (error) {
          if (signal.aborted) return;
          setSeen((before) => ({ ...before, isWatching: false, error: error as Error }));
          await pause(retryMs, signal);
        }
    };
    void watch();
    return () => stopping.abort();
  }, [sessionApi, orgId, projectId, failedOnly]);
  return seen;
};

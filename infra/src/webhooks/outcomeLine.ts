import type { ShownOutcome } from './watchOutcomes.js';

const steps: Readonly<Record<string, string>> = {
  done: '',
  retry: 'is made again',
  deadLetter: 'dead letter',
  dropped: 'dropped',
};

/** An attempt as a line for people: what came of it first, whose it was last. */
export const outcomeLine = (outcome: ShownOutcome): string => {
  const { at, kind, attempt, next, status, durationMs, urlOrigin, projectId, appId, webhookId } = outcome;
  const result = String(status ?? outcome.outcome);
  const columns = [
    at,
    kind.padEnd(9),
    `#${attempt}`,
    result.padEnd(11),
    `${durationMs.toFixed(1)} ms`.padStart(11),
    urlOrigin,
    `project=${projectId}`,
    `app=${appId}`,
    `webhook-id=${webhookId}`,
    steps[next] ?? next,
  ];
  return columns.filter(Boolean).join('  ');
};

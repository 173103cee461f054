import { sleep } from '@roomwire/shared/runtime/waiting';
import { endpointOf, reasonOf } from '../api-client/apiAnswers.js';

/** An outcome as the API shows it. */
export interface ShownOutcome {
  readonly at: string;
  readonly projectId: string;
  readonly appId: string;
  readonly kind: string;
  readonly webhookId: string;
  readonly urlOrigin: string;
  readonly attempt: number;
  readonly outcome: string;
  readonly next: string;
  readonly status: number | null;
  readonly durationMs: number;
  readonly requestBytes: number;
}

export interface Watching {
  /** Of the API, without `/v1`. */
  readonly url: string;
  readonly sessionToken: string;
  readonly organizationId: string;
  /** Fields of the API's query. */
  readonly filter: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
  /** Once, when what happens from now on will be seen. */
  onReady(): void;
  onOutcome(outcome: ShownOutcome): void;
  /** Something was missed, or is tried again. */
  onTrouble(message: string): void;
}

/** What the API says no to, and would say no to again. */
export class WatchRefused extends Error {
  override readonly name = 'WatchRefused';
}

interface Answer {
  readonly data: readonly ShownOutcome[];
  readonly cursor: string;
  readonly gap: boolean;
}

const pauseMs = 1_000;
/** More than the API lets a question wait. */
const patienceMs = 60_000;
const mostRemembered = 5_000;

/**
 * Polls until the signal aborts. An outcome is reported once, also where several processes answer in turn.
 * Rejects with `WatchRefused`; what may pass is tried again.
 */
export const watchOutcomes = async (watching: Watching): Promise<void> => {
  const { signal } = watching;
  const isNew = rememberer();
  let cursor: string | undefined;
  let isInTrouble = false;
  while (!signal.aborted)
    try {
      const answer = await ask(watching, cursor);
      if (cursor === undefined) watching.onReady();
      else if (isInTrouble) watching.onTrouble('Watching again');
      isInTrouble = false;
      if (answer.gap) watching.onTrouble('More calls were made than could be shown: some are left out');
      ({ cursor } = answer);
      for (const outcome of answer.data) if (isNew(outcome)) watching.onOutcome(outcome);
    } catch (error) {
      if (error instanceof WatchRefused) throw error;
      if (signal.aborted) return;
      if (!isInTrouble) watching.onTrouble(`${reasonOf(error)}; trying again`);
      isInTrouble = true;
      await sleep(pauseMs, signal);
    }
};

const ask = async (watching: Watching, cursor: string | undefined): Promise<Answer> => {
  const { url, sessionToken, organizationId, filter, signal } = watching;
  const address = endpointOf({ url }, `organizations/${organizationId}/webhook-outcomes`);
  for (const [name, value] of Object.entries({ ...filter, ...(cursor && { cursor }) }))
    address.searchParams.set(name, value);
  const response = await fetch(address, {
    headers: { authorization: `Bearer ${sessionToken}` },
    signal: AbortSignal.any([signal, AbortSignal.timeout(patienceMs)]),
  });
  const body = (await response.json().catch(() => ({}))) as Partial<Answer> & { readonly message?: string };
  if (response.ok && body.data !== undefined) return body as Answer;
  const message = body.message ?? `${address.origin} answered ${response.status}`;
  throw isFinal(response.status) ? new WatchRefused(message) : new Error(message);
};

/** Whether an error is transient: too many requests, or an error of the service itself. */
const isFinal = (status: number): boolean => status < 500 && status !== 429;

/** Whether an attempt is seen for the first time. */
const rememberer = (): ((outcome: ShownOutcome) => boolean) => {
  const known = new Set<string>();
  return ({ webhookId, attempt, at }) => {
    const key = `${webhookId} ${attempt} ${at}`;
    if (known.has(key)) return false;
    known.add(key);
    if (known.size > mostRemembered) known.delete(known.values().next().value as string);
    return true;
  };
};

const steps: Readonly<Record<string, string>> = {
  done: '',
  retry: 'is made again',
  deadLetter: 'dead letter',
  dropped: 'dropped',
};

/** An attempt as a line of text: first the outcome, last the owner. */
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

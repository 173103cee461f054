import { setTimeout as pause } from 'node:timers/promises';
import { differences, type Difference, type Json } from '@roomwire/command-api/audit/recordStates';
import { shownAt } from '@roomwire/command-api/audit/shown';
import { isInCascade } from '@roomwire/shared/wire/views/cascades';
import { viewIndexes, type ViewName } from '@roomwire/shared/wire/views/views';
import type { EventLog, LogPosition } from '@roomwire/shared/ports/eventLog';
import type { CreateViewFold, ViewFold, ViewReader } from '@roomwire/shared/ports/viewStore';
import { upTo, type OnProgress } from './upTo.js';

export interface ViewDifference {
  readonly view: ViewName;
  readonly id: string;
  /** `before` is what the log says, `after` what the read models have. */
  readonly fields: readonly Difference[];
  readonly isIn: 'both' | 'the log' | 'the read models';
}

export interface ViewsReport {
  /** Of the log, and documents that they make. */
  readonly events: number;
  readonly documents: number;
  readonly differences: readonly ViewDifference[];
  /** Undefined for read models that have not been made. */
  readonly checkpoint: LogPosition | undefined;
}

type ComparedViews = Pick<ViewReader, 'get' | 'find' | 'count' | 'checkpoint'>;

export interface VerifyDeps {
  readonly log: EventLog;
  readonly views: ComparedViews;
  readonly createFold: CreateViewFold;
  readonly onProgress?: OnProgress;
}

/** The views that are not derived from events alone. */
const others: readonly ViewName[] = ['feedProgress', 'cascades'];
const names = (Object.keys(viewIndexes) as ViewName[]).filter((view) => !others.includes(view));

const looks = 10;
const betweenLooksMs = 200;
const atOnce = 50;

/**
 * Folds the log up to the checkpoint of the read models and compares every document. What seems to differ is looked at
 * again, with the fold brought up to the checkpoint of then: a service may be writing. Memory holds what is alive, never the log.
 */
export const verifyViews = async ({
  log,
  views,
  createFold,
  onProgress,
}: VerifyDeps): Promise<ViewsReport> => {
  const fold = createFold();
  let events = 0;
  let folded: LogPosition | undefined;
  const bringUp = async (): Promise<LogPosition | undefined> => {
    const checkpoint = await views.checkpoint();
    for await (const batch of upTo(log, checkpoint, folded)) {
      for (const event of batch) fold.apply(event);
      events += batch.length;
      folded = batch.at(-1)?.position;
      onProgress?.(events, folded ?? '');
    }
    return checkpoint;
  };

  let checkpoint = await bringUp();
  if (checkpoint === undefined) return { events, documents: 0, differences: [], checkpoint };
  const made = idsOf(fold);
  let found = await compare(fold, views, made);
  found = [...found, ...(await compare(fold, views, await surplus(fold, views, found)))];
  for (let look = 1; look < looks && found.length > 0; look += 1) {
    await pause(betweenLooksMs);
    checkpoint = await bringUp();
    found = await compare(fold, views, found);
  }
  return { events, documents: made.length, differences: found, checkpoint };
};

interface DocumentId {
  readonly view: ViewName;
  readonly id: string;
}

const idsOf = (fold: ViewFold): readonly DocumentId[] =>
  names.flatMap((view) => fold.find(view, {}).map((document) => ({ view, id: idOf(view, document) })));

/** What the store has beyond the log. All of a view is read only where the numbers say that there is something. */
const surplus = async (
  fold: ViewFold,
  views: ComparedViews,
  found: readonly ViewDifference[],
): Promise<readonly DocumentId[]> => {
  const more: DocumentId[] = [];
  const isLeaving = await leavingNow(views);
  for (const view of names) {
    const missing = found.filter((each) => each.view === view && each.isIn === 'the log').length;
    const expected = fold.find(view, {}).length - missing;
    if ((await views.count(view, {})) <= expected) continue;
    for (const document of await views.find(view, {})) {
      const id = idOf(view, document);
      if (fold.get(view, id) === undefined && !isLeaving(view, document)) more.push({ view, id });
    }
  }
  return more;
};

/** Whether a document is still to be removed with the project or app that it belonged to. */
const leavingNow = async (views: ComparedViews) => {
  const cascades = await views.find('cascades', {});
  return (view: ViewName, document: object): boolean =>
    cascades.some((cascade) => cascade.views.includes(view) && isInCascade(cascade, document));
};

const compare = async (
  fold: ViewFold,
  views: ComparedViews,
  candidates: readonly DocumentId[],
): Promise<readonly ViewDifference[]> => {
  const found: ViewDifference[] = [];
  const isLeaving = await leavingNow(views);
  for (let from = 0; from < candidates.length; from += atOnce) {
    const some = candidates.slice(from, from + atOnce);
    const differing = await Promise.all(
      some.map(async ({ view, id }) => {
        const [expected, actual] = [fold.get(view, id), await views.get(view, id)];
        const isLate = expected === undefined && actual !== undefined && isLeaving(view, actual);
        return isLate ? undefined : difference(view, id, expected, actual);
      }),
    );
    found.push(...differing.filter((each) => each !== undefined));
  }
  return found;
};

const difference = (
  view: ViewName,
  id: string,
  expected: object | undefined,
  actual: object | undefined,
): ViewDifference | undefined => {
  if (expected === undefined && actual === undefined) return undefined;
  const fields = differences(expected as Json | undefined, actual as Json | undefined);
  if (expected && actual) return fields.length === 0 ? undefined : { view, id, fields, isIn: 'both' };
  return { view, id, fields: [], isIn: expected ? 'the log' : 'the read models' };
};

/** The field that holds the identifier of a record. */
const idFields: { readonly [V in ViewName]: string } = {
  organizations: 'organizationId',
  projects: 'projectId',
  apiKeys: 'apiKeyId',
  blueprints: 'blueprintId',
  apps: 'appId',
  rooms: 'roomId',
  grants: 'roomActorAccessId',
  scopes: 'accessScopeId',
  actors: 'actorTokenId',
  signingKeys: 'signingKeyId',
  deadLetters: 'dlqId',
  webhookSecrets: 'webhookSecretId',
  webhookCircuits: 'circuitId',
  sessionRevocations: 'revocationId',
  tokenRevocations: 'revocationId',
  feedProgress: 'feed',
  cascades: 'deletedId',
};

const idOf = (view: ViewName, document: object): string => String((document as Json)[idFields[view]]);

const longest = 200;

/** A line for people. Hashes, sealed secrets and what webhooks carry are named and not shown. */
export const describeDifference = ({ view, id, fields, isIn }: ViewDifference): string => {
  if (isIn === 'the log') return `${view} ${id} is not in the read models`;
  if (isIn === 'the read models') return `${view} ${id} is in the read models and not in the log`;
  const all = fields.map(({ path, before, after }) => {
    const [is, wanted] = [text(shownAt(path, after)), text(shownAt(path, before))];
    const isSecret = /^\/(?:secretHash|sealedSecret)/.test(path);
    return isSecret || is === wanted ? `${path} is another one` : `${path} is ${is}, by the log ${wanted}`;
  });
  return `${view} ${id}: ${all.join('; ')}`;
};

const text = (value: unknown): string => {
  if (value === undefined) return 'absent';
  const json = JSON.stringify(value);
  return json.length <= longest ? json : `${json.slice(0, longest)}…`;
};

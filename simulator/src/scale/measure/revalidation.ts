import { Directory } from '@roomwire/gateway/access/directory';
import { SigningKeys } from '@roomwire/gateway/access/signingKeys';
import { Plans } from '@roomwire/gateway/limits/plans';
import { defaultOptions } from '@roomwire/gateway/options';
import { Revalidation } from '@roomwire/gateway/revalidation/revalidation';
import { createDomainChanges } from '@roomwire/gateway/session/domainChanges';
import { Revalidator } from '@roomwire/gateway/session/revalidator';
import { Roster } from '@roomwire/gateway/session/roster';
import { createSecretBox } from '@roomwire/shared/credentials/secretBox';
import type { ViewReader } from '@roomwire/shared/ports/viewStore';
import { LimitReports } from '@roomwire/shared/runtime/limitReports';
import { domainEventFeed } from '@roomwire/shared/wire/bus/domainEventFeed';
import { viewsVersion } from '@roomwire/shared/wire/views/views';
import { silentLogger } from '@roomwire/testing/fakes/loggers';
import { seededChance } from '@roomwire/testing/run/seededChance';
import type { Estate } from '../model/estate.js';
import { behaviour } from '../model/load.js';
import type { Placement } from '../model/placement.js';
import { changeOf, positionOf } from '../wire/records.js';
import type { Count } from '../wire/tally.js';
import { CountedViews } from './countedViews.js';
import { inVirtualTime } from './inVirtualTime.js';
import { standInSession } from './standInSession.js';

/** What a gateway does in a second because rights change somewhere. */
export interface RevalidationCost {
  readonly events: Count;
  /** Of documents, because of an event; and of the extent of the read models, for the proof that nothing was missed. */
  readonly reads: number;
  readonly extents: number;
  /** Connections that were looked at again. */
  readonly rechecked: number;
  /** Of documents, in all, once an event has been lost. */
  readonly readsAfterLoss: number;
}

/** In which each project changes once. */
const seconds = behaviour.changeSeconds;
const periods = 2;
/** A prime, so that it leads to every project before it leads to one again. */
const stride = 7_919;

/** A gateway with all of its connections, on the feed of the whole cluster. */
export const measureRevalidation = (
  estate: Estate,
  placement: Placement,
  gateway: number,
): Promise<RevalidationCost> =>
  inVirtualTime(gateway, async (time) => {
    const chance = seededChance(gateway);
    const { views, rechecks, revalidation, take } = revalidatingGateway(estate, placement, gateway, time);
    const rate = estate.projects / behaviour.changeSeconds;
    const events = { records: 0, bytes: 0 };
    let said = 0;
    const happen = (): void => {
      const after = positionOf(said);
      const upTo = Math.round((time.now / 1_000) * rate);
      for (let number = said + 1; number <= upTo; number += 1) {
        const project = (number * stride) % estate.projects;
        const connection = estate.firstOf(project) + chance.below(estate.sizeOf(project));
        const event = changeOf(number % 4 < 2 ? 'actor' : 'room', number, project, connection);
        events.records += 1;
        events.bytes += domainEventFeed.key(event).length + domainEventFeed.codec.encode(event).length;
        take(event);
      }
      const span = { viewsVersion, after, upTo: positionOf(upTo), events: upTo - said };
      said = upTo;
      views.position = span.upTo;
      revalidation.coverage.said(span);
    };
    const quiet = (missing: number): void => {
      const after = positionOf(said);
      said += missing;
      views.position = positionOf(said);
      revalidation.coverage.said({ viewsVersion, after, upTo: positionOf(said), events: missing });
    };
    quiet(0);
    await revalidation.start();
    const turns = setInterval(() => void revalidation.turn(), revalidation.turnMs);
    const changes = setInterval(happen, 1_000);
    await time.run(time.now + seconds * 1_000);
    clearInterval(changes);
    const cost = {
      events: { records: events.records / seconds, bytes: events.bytes / seconds },
      reads: views.documents / seconds,
      extents: views.extents / seconds,
      rechecked: rechecks.sessions / seconds,
    };
    views.documents = 0;
    // An event that is told of and never comes.
    quiet(1);
    const silence = setInterval(() => quiet(0), 2_000);
    await time.run(time.now + periods * defaultOptions.revalidationMs);
    clearInterval(silence);
    clearInterval(turns);
    return { ...cost, readsAfterLoss: views.documents };
  });

const revalidatingGateway = (
  estate: Estate,
  placement: Placement,
  gateway: number,
  time: { readonly now: number },
) => {
  const clock = { now: () => time.now, monotonic: () => time.now };
  const views = new CountedViews();
  const reader = views as unknown as ViewReader;
  const limits = new LimitReports({ clock, logger: silentLogger });
  const rechecks = { sessions: 0 };
  const roster = new Roster();
  for (let project = 0; project < estate.projects; project += 1)
    for (let each = estate.firstOf(project); each < estate.firstOf(project + 1); each += 1)
      if (placement[each] === gateway) roster.enter(standInSession(project, each, rechecks));
  const secretBox = createSecretBox({ current: new Uint8Array(32) });
  const nothing = (): void => undefined;
  const revalidator = new Revalidator({
    ...{ views: reader, clock, logger: silentLogger, roster, plans: new Plans() },
    directory: new Directory(reader, limits),
    signingKeys: new SigningKeys(reader, secretBox, limits),
    retained: {
      ...{ projectDeleted: nothing, scopeDeleted: nothing, appDeleted: nothing },
      ...{ roomDeleted: nothing, topicDeleted: nothing, topicsConfigured: nothing },
    },
    persistentSessions: { forgetActor: nothing },
    connectionLimit: { enforce: nothing },
  });
  const revalidation = new Revalidation({
    ...{ views, clock, roster, rechecks: revalidator.rechecks },
    metrics: { revalidated: { proof: 0, reading: 0 } },
    periodMs: defaultOptions.revalidationMs,
  });
  const { coverage } = revalidation;
  const take = createDomainChanges(revalidator, { refused: { changed: nothing }, coverage });
  return { views, rechecks, revalidation, take };
};

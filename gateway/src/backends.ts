import { setTimeout as pause } from 'node:timers/promises';
import type { PublishPorts } from './publishing/composePublish.js';
import type { JobGroups } from '@roomwire/shared/ports/jobGroups';
import type { LiveState } from '@roomwire/shared/ports/liveState';
import type { LiveConnections } from '@roomwire/shared/ports/liveConnections';
import type { Publishing } from '@roomwire/shared/ports/publishing';
import type { UsageStore } from '@roomwire/shared/ports/usageStore';
import type { ViewReader } from '@roomwire/shared/ports/viewStore';
import type { LimitReports } from '@roomwire/shared/runtime/limitReports';
import { calmLogger } from '@roomwire/shared/runtime/onceAMinute';
import { once, type Service } from '@roomwire/shared/runtime/service';
import { domainEventFeed } from '@roomwire/shared/wire/bus/domainEventFeed';
import type { ActivitySink } from '@roomwire/shared/activity/activity';
import type { GatewayNews } from '@roomwire/shared/wire/bus/gatewayNews';
import { feedSpans } from '@roomwire/shared/wire/bus/feedSpans';
import { retainedMessages } from '@roomwire/shared/wire/bus/liveMessage';
import { Directory } from './access/directory.js';
import { RetainStamps } from './fanout/retainedValues.js';
import { Leases } from './limits/leases.js';
import { Plans } from './limits/plans.js';
import { UsageLedger } from './limits/usageLedger.js';
import { createMetrics } from './metrics.js';
import { defaultOptions } from './options.js';
import { Peers, ticksPerBeat } from './presence/peers.js';
import { composePublish } from './publishing/composePublish.js';
import { MessageIds } from './publishing/messageIds.js';
import { askedJobGroups } from './questions/askedJobGroups.js';
import { askedState } from './questions/clusterState.js';
import { connectionsOfGateways } from './questions/liveConnections.js';
import { Questions } from './questions/questions.js';
import { createDomainChanges } from './session/domainChanges.js';
import { Revalidation } from './revalidation/revalidation.js';
import { Revalidator } from './session/revalidator.js';
import { Roster } from './session/roster.js';

export interface BackendsDeps extends PublishPorts {
  readonly views: ViewReader;
  readonly usage: UsageStore;
  readonly limits: LimitReports;
  readonly activity?: Pick<ActivitySink, 'add'> | undefined;
}

/** What backends use of gateways, for a process that is none. */
export interface Backends extends Service {
  readonly publishing: Publishing;
  readonly liveState: LiveState;
  readonly liveConnections: LiveConnections;
  readonly jobGroups: JobGroups;
}

const nothing = (): void => undefined;

/** No client is connected to it. */
const nobody = {
  signingKeys: { changed: nothing, projectChanged: nothing, forget: nothing, forgetAll: nothing },
  retained: {
    ...{ projectDeleted: nothing, scopeDeleted: nothing, appDeleted: nothing, roomDeleted: nothing },
    ...{ topicDeleted: nothing, topicsConfigured: nothing },
  },
  persistentSessions: { forgetActor: nothing },
  connectionLimit: { enforce: nothing },
};

/**
 * Takes part among the gateways as one without connections and without presences: it holds leases on the quotas of projects, and learns
 * what is changed.
 */
export const createBackends = (deps: BackendsDeps): Backends => {
  const { views, usage, bus, clock, random, logger, limits } = deps;
  const { beatMs, silenceMs, answersMs, returnMs, usageMs, revalidationMs } = defaultOptions;
  const { patienceMs, hesitationMs } = defaultOptions;
  const gatewayId = random.uuid();
  const metrics = createMetrics();
  const plans = new Plans();
  const directory = new Directory(views, limits);
  const ids = new MessageIds(clock, random);
  const stamps = new RetainStamps(clock, random.uuid());
  const roster = new Roster();

  /** There are no presences: that is all of them. */
  const sayWhatIsPresent = (): void => void peers.send({ kind: 'state', gatewayId, from: 1, upTo: 0 });
  const onNews = (news: GatewayNews): void => {
    leases.onNews(news);
    const isAsked = news.kind === 'hello' || (news.kind === 'ask' && news.to === gatewayId);
    if (isAsked && news.gatewayId !== gatewayId) sayWhatIsPresent();
  };
  const peers = new Peers({
    ...{ gatewayId, bus, clock, logger, beatMs, silenceMs },
    report: () => ({
      ...{ connections: {}, presenceSequence: 0 },
      ...{ readsAccounts: true, takesLeases: true, knowsOwn: true, keepsPresences: false },
    }),
    listener: {
      onNews,
      onGone: (gone) => {
        leases.onGone(gone);
        questions.onGone(gone);
      },
    },
  });
  let isReady = nothing;
  const ready = new Promise<void>((resolve) => (isReady = resolve));
  const questions: Questions = new Questions({
    ...{ gatewayId, bus, random, peers, ready, patienceMs, hesitationMs },
  });
  const leases: Leases = new Leases({
    ...{ gatewayId, clock, cluster: peers },
    waits: { returnMs, answerMs: 1_000, restMs: 100 },
    ready,
    send: (news) => peers.send(news),
    termsOf: (key) => usageLedger.termsOf(key),
  });
  const usageLedger: UsageLedger = new UsageLedger({
    ...{ gatewayId, usage, clock, logger, plans, leases, cluster: peers },
    accepted: (projectId) => deps.activity?.add(projectId, 'messagesIn'),
  });
  const revalidator = new Revalidator({ ...nobody, views, clock, logger, directory, roster, plans });
  const revalidation = new Revalidation({
    ...{ views, clock, roster, metrics, rechecks: revalidator.rechecks },
    periodMs: revalidationMs,
  });
  const { coverage } = revalidation;
  const { publishing } = composePublish(
    { ...deps, logger: calmLogger({ clock, logger }) },
    {
      ...{ views, directory, plans, changes: revalidator.changes, metrics, stamps, usageLedger, ids },
      // The gateways find it.
      onScheduled: nothing,
    },
  );
  const readers: { close(): Promise<void> }[] = [];
  let timers: readonly NodeJS.Timeout[] = [];

  return {
    publishing,
    liveState: askedState(questions),
    liveConnections: connectionsOfGateways(questions),
    jobGroups: askedJobGroups(questions),

    async start() {
      readers.push(
        await bus.read(
          domainEventFeed,
          { interest: 'all' },
          createDomainChanges(revalidator, { refused: { changed: nothing }, coverage }),
        ),
        await bus.read(feedSpans, { interest: 'all' }, coverage.said),
        // A value that is retained here must be newer than those that are known.
        await bus.read(retainedMessages, { interest: 'all' }, ({ retention }) =>
          stamps.seen(retention.stamp),
        ),
      );
      await revalidation.start();
      await questions.start();
      readers.push(questions);
      await peers.listen();
      await peers.sendHello();
      timers = [
        every(beatMs / ticksPerBeat, () => peers.tick()),
        every(beatMs, () => leases.beat()),
        every(usageMs, () => void usageLedger.tick()),
        every(revalidation.turnMs, () => void revalidation.turn()),
      ];
      void pause(answersMs, undefined, { ref: false }).then(isReady);
    },

    close: once(async () => {
      for (const timer of timers) clearInterval(timer);
      leases.close();
      // Who reads the goodbye counts what is stored.
      await usageLedger.storeAll();
      await Promise.all([peers.close(), ...readers.map((reader) => reader.close())]);
      await usageLedger.close();
    }),
  };
};

const every = (ms: number, action: () => void): NodeJS.Timeout => setInterval(action, ms).unref();

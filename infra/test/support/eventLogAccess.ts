import type { EventLog } from '@roomwire/shared/ports/eventLog';
import { createRecordingLogger } from '@roomwire/testing/fakes/loggers';
import type { Target } from '@roomwire/command-api/handling/writeModel';
import { createStreamWriter } from '@roomwire/command-api/handling/streamWriter';
import { systemRandom } from '@roomwire/shared/adapters/system/systemRandom';
import type { DomainEvent } from '@roomwire/shared/domain/events';
import type { NewEvent } from '@roomwire/shared/domain/eventEnvelope';
import { changesOf } from '@roomwire/projections/projectors';
import { domainEventFeed } from '@roomwire/shared/wire/bus/domainEventFeed';
import type { ViewChange, ViewStore } from '@roomwire/shared/ports/viewStore';
import type { Config } from '../../src/config/config.js';
import { withAdapters, type Adapters } from '../../src/engines/adapters.js';

/** The stores of a configuration, for as long as `use` needs them. On files, while nothing else runs on the folder. */
export const withStores = <T>(config: Config, use: (stores: Adapters) => Promise<T>): Promise<T> =>
  withAdapters(config, createRecordingLogger().logger, use);

export const withLog = <T>(config: Config, use: (log: EventLog) => Promise<T>): Promise<T> =>
  withStores(config, async (stores) => use(await stores.log()));

/** Carries out a command straight on a log, as the system. */
export const executeOn =
  (log: EventLog, owner: { readonly organizationId: string; readonly projectId: string | null }) =>
  async <State, Command, Event extends DomainEvent>(
    { stream, decider }: Target<State, Command, Event>,
    command: Command,
  ): Promise<void> => {
    await createStreamWriter({ stream, log, random: systemRandom }).submit(decider, {
      decide: (state) => decider.decide(command, state),
      context: {
        ...owner,
        occurredAt: new Date().toISOString(),
        principal: 'system',
        requestId: systemRandom.uuid(),
      },
      select: () => undefined,
    });
  };

/** An event as some program has written it, and its stream. */
export interface PastEvent extends NewEvent {
  readonly stream: string;
}

/** Writes the events into a log, in their order. */
export const writeHistory = async (log: EventLog, events: readonly PastEvent[]): Promise<void> => {
  const revisions = new Map<string, number>();
  for (const { stream, ...event } of events) {
    const { revision } = await log.append(stream, revisions.get(stream) ?? 'none', [event]);
    revisions.set(stream, revision);
  }
};

/** Changes the read models as no event has, and leaves them at the position at which they are. */
export const plantInViews = async (
  { log, views }: { readonly log: EventLog; readonly views: ViewStore },
  changes: readonly ViewChange[],
): Promise<void> => {
  const rebuild = await views.rebuild();
  for await (const batch of log.readAll())
    await rebuild.apply({ changes: batch.flatMap(changesOf), position: batch.at(-1)?.position ?? '' });
  const feed = await views.get('feedProgress', domainEventFeed.name);
  const kept: ViewChange[] = feed ? [{ put: 'feedProgress', id: feed.feed, doc: feed }] : [];
  if (!(await rebuild.takeOver([...kept, ...changes])))
    throw new Error('The read models are not where the log is');
};

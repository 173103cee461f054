import { changesOf } from '@roomwire/projections/projectors';
import { domainEventFeed } from '@roomwire/shared/wire/bus/domainEventFeed';
import type { EventLog } from '@roomwire/shared/ports/eventLog';
import type { ViewChange, ViewStore } from '@roomwire/shared/ports/viewStore';

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

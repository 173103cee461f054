import { historyOf } from '@roomwire/shared/domain/topicHistory';
import { isBehind } from '@roomwire/shared/history/boundedView';
import {
  endOf,
  type History,
  type HistoryOwners,
  type HistoryTopic,
  type HistoryView,
} from '@roomwire/shared/ports/history';
import type { HistoryIndex } from '@roomwire/shared/ports/historyIndex';
import type { ViewReader } from '@roomwire/shared/ports/viewStore';
import type { Place } from '@roomwire/shared/wire/protocol/position';
import type { HistoryDeletion, TopicsConfigured } from './historyDeletions.js';

export interface HistoryDeleterDeps {
  readonly index: Pick<HistoryIndex, 'removeOf' | 'topicsOf' | 'topic'>;
  readonly history: Pick<History, 'look' | 'indexed' | 'deleteTopic'>;
  readonly views: Pick<ViewReader, 'get'>;
}

/** Performs deletions. Rejects with `EngineUnavailable`, and may then have performed some of them. */
export type DeleteHistory = (deletions: readonly HistoryDeletion[]) => Promise<void>;

export const createHistoryDeleter = ({ index, history, views }: HistoryDeleterDeps): DeleteHistory => {
  const deleteSwitchedOff = async ({ appId, configs, since }: TopicsConfigured): Promise<void> => {
    for await (const topics of index.topicsOf(appId))
      for (const topic of topics)
        if (historyOf(configs, topic.name) === undefined && (await holdsAnything(topic)))
          await deleteOlder(topic, since);
  };

  /** Most topics without history are known because it was deleted earlier. */
  const holdsAnything = async (topic: HistoryTopic): Promise<boolean> => {
    const { newest, deletedTo } = await index.topic(topic);
    return newest !== undefined && isBehind(newest.place, deletedTo);
  };

  const deleteOlder = async (topic: HistoryTopic & HistoryOwners, since: number): Promise<void> => {
    const view = await history.look(topic);
    // Read after the look. Gateways follow the read models too: while these show no history, nothing in the view is of a time when it
    // was on again.
    const app = await views.get('apps', topic.appId);
    const isOnAgain = app !== undefined && historyOf(app.topicConfigs, topic.name) !== undefined;
    const to = isOnAgain ? await lastBefore(view, since) : endOf(view);
    if (to !== undefined) await history.deleteTopic(topic, topic, to);
  };

  return async (deletions) => {
    // Topics that the index does not know yet would be overlooked.
    if (deletions.some(({ kind }) => kind === 'settings')) await history.indexed();
    for (const deletion of deletions) {
      if (deletion.kind === 'topic') await history.deleteTopic(deletion.topic, deletion.owners, deletion.to);
      if (deletion.kind === 'settings') await deleteSwitchedOff(deletion);
    }
    // Last, so that nothing is noted of a topic that is gone.
    const owners = deletions.flatMap((deletion) => (deletion.kind === 'owner' ? [deletion.id] : []));
    if (owners.length > 0) await index.removeOf(owners);
  };
};

/** The place of the last message that was accepted up to a time, and so were all before it; undefined for none. */
const lastBefore = async (view: HistoryView, time: number): Promise<Place | undefined> => {
  let last: Place | undefined;
  for await (const page of view.oldestFirst())
    for (const { place, latestAt } of page) {
      if (latestAt > time) return last;
      last = place;
    }
  return last;
};

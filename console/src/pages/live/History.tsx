import { useInfiniteQuery } from '@tanstack/react-query';
import { useCallback, useMemo } from 'react';
import { Button } from '../../components/Button.js';
import { CodeDisclosure } from '../../components/CodeDisclosure.js';
import { Loading } from '../../components/Loading.js';
import { Problem } from '../../components/Problem.js';
import { VirtualList } from '../../components/VirtualList.js';
import { answerOf } from '../../api/failure.js';
import { useProject } from '../../session/console.js';
import { MessageLine } from './MessageLine.js';
import { rowHeight } from './MessagePanel.js';
import type { Spot } from './model.js';
import { entryOfKept, type ShownEntry } from './shownEntry.js';
import { historySnippets } from './snippets.js';

interface HistoryProps {
  readonly spot: Spot;
  readonly selected: ShownEntry | undefined;
  readonly onSelect: (entry: ShownEntry) => void;
}

const pageSize = 100;

/** What the topic keeps, the newest first; more of it comes as one scrolls. */
export const History = ({ spot, selected, onSelect }: HistoryProps) => {
  const { api, projectId } = useProject();
  const { appId, roomId, topic, scope, hasHistory } = spot;
  const kept = useInfiniteQuery({
    queryKey: [projectId, 'history', roomId, topic, scope],
    queryFn: ({ pageParam: before }) => {
      const query = {
        limit: pageSize,
        ...(scope === undefined ? {} : { scope }),
        ...(before === '' ? {} : { before }),
      };
      const params = { path: { appId, roomId, topic }, query };
      return answerOf(api.GET('/apps/{appId}/rooms/{roomId}/topics/{topic}/messages', { params }));
    },
    initialPageParam: '',
    getNextPageParam: ({ next }) => next,
    enabled: hasHistory,
  });
  const { data, error, hasNextPage, isFetching, fetchNextPage, refetch } = kept;
  const rows = useMemo(() => data?.pages.flatMap((page) => page.data.map(entryOfKept)) ?? [], [data]);
  const more = useCallback(() => {
    if (hasNextPage && !isFetching) void fetchNextPage();
  }, [hasNextPage, isFetching, fetchNextPage]);

  if (!hasHistory)
    return (
      <p className="message-none muted">
        This topic keeps no messages. Give it a history in the configuration of its app, and what is published
        from then on can be read here, and by clients that were away.
      </p>
    );
  if (error) return <Problem error={error} retry={refetch} />;
  if (data === undefined) return <Loading what="the history" />;
  return (
    <div className="message-panel">
      <div className="message-head">
        <span className="muted">
          {rows.length}{' '}
          {hasNextPage ? 'so far; scroll for older ones' : rows.length === 1 ? 'message' : 'messages'}
        </span>
        <Button look="quiet" isPending={isFetching} onPress={() => void refetch()}>
          Read again
        </Button>
      </div>
      {rows.length === 0 ? (
        <p className="message-none muted">Nothing is kept at the moment.</p>
      ) : (
        <VirtualList
          label="Kept messages, the newest first"
          {...{ rows, rowHeight, onSelect }}
          keyOf={({ key }) => key}
          selected={selected}
          onEnd={more}
          render={(entry) => <MessageLine entry={entry} />}
        />
      )}
      <CodeDisclosure label="Read this history" snippets={historySnippets(spot)} />
    </div>
  );
};

import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Link } from 'wouter';
import { answerOf } from '../../api/failure.js';
import type { Schemas } from '../../api/schemas.js';
import { Badge } from '../../components/Badge.js';
import { Button } from '../../components/Button.js';
import { CodeDisclosure } from '../../components/CodeDisclosure.js';
import { DataTable, type Column } from '../../components/DataTable.js';
import { EmptyState } from '../../components/EmptyState.js';
import { SelectField } from '../../components/fields.js';
import { Time } from '../../components/Time.js';
import { useMay, useProject } from '../../session/console.js';
import { RedriveDialog } from './RedriveDialog.js';
import { deadLetterSnippets } from './snippets.js';

export type DeadLetter = Schemas['DeadLetter'];
type Status = DeadLetter['status'];
type Kind = DeadLetter['kind'];

const pageSize = 50;
const everyMs = 5_000;

const kinds: Readonly<Record<Kind, string>> = {
  trigger: 'Trigger',
  event: 'Room event',
  job: 'Job',
  schedule: 'Scheduled publish',
};

export const statuses: Readonly<
  Record<Status, { readonly text: string; readonly tone: 'warn' | 'bad' | 'plain' }>
> = {
  pending: { text: 'no answer', tone: 'warn' },
  failed: { text: 'refused', tone: 'bad' },
  dead: { text: 'given up', tone: 'plain' },
};

export const kindText = ({ kind, group, sequence }: DeadLetter): string => {
  if (group !== undefined) return `${kinds[kind]} of ${group}`;
  return sequence === undefined ? kinds[kind] : `${kinds[kind]} #${sequence}`;
};

const columns: readonly Column<DeadLetter>[] = [
  {
    title: 'Recorded',
    cell: ({ dlqId, createdAt }) => (
      <Link href={`/dead-letters/${dlqId}`}>
        <Time at={createdAt} exact />
      </Link>
    ),
  },
  { title: 'What', cell: kindText },
  { title: 'To', cell: ({ url }) => url ?? <span className="muted">a worker</span> },
  {
    title: 'State',
    cell: ({ status }) => <Badge tone={statuses[status].tone}>{statuses[status].text}</Badge>,
  },
  {
    title: 'Why',
    cell: ({ responseStatus, error }) => (responseStatus === null ? error : `${responseStatus}: ${error}`),
  },
  { title: 'Redriven', align: 'end', cell: ({ redriveCount }) => redriveCount },
];

const anyChoice = { id: '', title: 'Any' };

export const DeadLetters = () => {
  const { sessionApi, organizationId: orgId, projectId } = useProject();
  const [status, setStatus] = useState('');
  const [kind, setKind] = useState('');
  const [isRedriving, setRedriving] = useState(false);
  const mayEdit = useMay('editor');
  const letters = useInfiniteQuery({
    queryKey: [projectId, 'dead-letters', status, kind],
    queryFn: ({ pageParam: offset }) => {
      const query = {
        ...{ projectId, limit: pageSize, offset },
        ...(status === '' ? {} : { status: status as Status }),
        ...(kind === '' ? {} : { kind: kind as Kind }),
      };
      return answerOf(
        sessionApi.GET('/organizations/{orgId}/webhook-dlq', { params: { path: { orgId }, query } }),
      );
    },
    initialPageParam: 0,
    getNextPageParam: ({ pagination: { total, offset, limit } }) =>
      offset + limit < total ? offset + limit : undefined,
    refetchInterval: everyMs,
    placeholderData: keepPreviousData,
  });
  const total = letters.data?.pages[0]?.pagination.total ?? 0;
  return (
    <div className="stack">
      <div className="panel-head">
        <div className="field-row">
          <SelectField
            name="status"
            label="State"
            value={status}
            onChange={setStatus}
            choices={[anyChoice, ...Object.entries(statuses).map(([id, { text }]) => ({ id, title: text }))]}
          />
          <SelectField
            name="kind"
            label="What"
            value={kind}
            onChange={setKind}
            choices={[anyChoice, ...Object.entries(kinds).map(([id, title]) => ({ id, title }))]}
          />
        </div>
        {mayEdit && total > 0 && (
          <Button look="primary" onPress={() => setRedriving(true)}>
            Redrive several
          </Button>
        )}
      </div>
      <DataTable
        label="Dead letters"
        columns={columns}
        keyOf={({ dlqId }) => dlqId}
        query={{
          rows: letters.data?.pages.flatMap(({ data }) => data),
          error: letters.error,
          refetch: letters.refetch,
          hasMore: letters.hasNextPage,
          isLoadingMore: letters.isFetchingNextPage,
          loadMore: letters.fetchNextPage,
        }}
        empty={
          <EmptyState title={status === '' && kind === '' ? 'No dead letters' : 'None like that'}>
            Calls that fail after every attempt, jobs that no worker got done and scheduled publishes that
            were refused wait here until somebody tries them again.
          </EmptyState>
        }
      />
      <CodeDisclosure
        label="List them"
        snippets={deadLetterSnippets({ organizationId: orgId, projectId, status, kind })}
      />
      <RedriveDialog isOpen={isRedriving} onClose={() => setRedriving(false)} />
    </div>
  );
};

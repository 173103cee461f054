import { useState } from 'react';
import { FactSentence } from '../../connection-facts/FactSentence.js';
import { isMissing } from '../../api/failure.js';
import { usePathTo } from '../../app/paths.js';
import { Button } from '../../components/Button.js';
import { CodeSnippet } from '../../components/CodeSnippet.js';
import { ConfirmDialog } from '../../components/ConfirmDialog.js';
import { EmptyState } from '../../components/EmptyState.js';
import { Loading } from '../../components/Loading.js';
import { PageHeader } from '../../components/PageHeader.js';
import { Problem } from '../../components/Problem.js';
import { curlOf, commandOf } from '../../components/snippets.js';
import { Timeline } from '../../components/Timeline.js';
import { toast } from '../../components/Toast.js';
import { useMay, useProject } from '../../session/console.js';
import { ConnectionFacts } from './ConnectionFacts.js';
import { ConnectionState } from './ConnectionState.js';
import { closeConnection, useTimeline, type Connection } from './queries.js';

/** One connection: who it is, and what happened to it, in order. */
export const ConnectionPage = ({ connectionId }: { readonly connectionId: string }) => {
  const timeline = useTimeline(connectionId);
  const pathTo = usePathTo();
  const { organizationId } = useProject();
  const up = { href: pathTo('connections'), title: 'Connections' };
  const connection = timeline.data?.pages.at(-1)?.connection;
  if (connection === undefined)
    return (
      <>
        <PageHeader title="Connection" up={up} />
        {timeline.isPending ? <Loading what="the connection" /> : <Unread {...timeline} />}
      </>
    );
  const facts = timeline.data?.pages.flatMap(({ data }) => data).map((fact, index) => ({ ...fact, index }));
  return (
    <>
      <PageHeader
        title="Connection"
        up={up}
        aside={<ConnectionState connection={connection} />}
        actions={connection.closedAt === null && <CloseButton connection={connection} />}
      />
      <div className="stack">
        <ConnectionFacts connection={connection} />
        <Timeline
          label="What happened"
          query={{
            rows: facts,
            error: timeline.error,
            refetch: timeline.refetch,
            hasMore: timeline.hasNextPage,
            isLoadingMore: timeline.isFetchingNextPage,
            loadMore: timeline.fetchNextPage,
          }}
          keyOf={({ index }) => String(index)}
          timeOf={({ at }) => at}
          entry={(fact) => <FactSentence fact={fact} />}
          more="What happened later"
          empty={<EmptyState title="Nothing is on record of it" />}
        />
        <CodeSnippet
          label="The same from a shell"
          snippets={[
            {
              title: 'curl',
              code: curlOf(`/organizations/${organizationId}/connections/${connectionId}/timeline`),
            },
            { title: 'CLI', code: commandOf(['connections', 'timeline', connectionId]) },
          ]}
        />
      </div>
    </>
  );
};

const Unread = ({ error, refetch }: { readonly error: Error | null; readonly refetch: () => unknown }) =>
  error === null || isMissing(error) ? (
    <EmptyState title="This connection is not on record">
      The id may be mistyped, or it ended more than seven days ago.
    </EmptyState>
  ) : (
    <Problem error={error} retry={refetch} />
  );

const CloseButton = ({ connection }: { readonly connection: Connection }) => {
  const project = useProject();
  const may = useMay('editor');
  const [isAsking, setAsking] = useState(false);
  if (!may) return null;
  return (
    <>
      <Button look="danger" onPress={() => setAsking(true)}>
        Close it
      </Button>
      <ConfirmDialog
        title="Close this connection?"
        confirm="Close the connection"
        isOpen={isAsking}
        onClose={() => setAsking(false)}
        onConfirm={async () => {
          await closeConnection(project, connection.connectionId);
          toast('Closed. The record shows it in a second or two.');
        }}
      >
        <p>
          Its client is told so (4001, <code>kicked</code>) and may connect again: disable the actor, or
          revoke its token, to keep it away.
        </p>
      </ConfirmDialog>
    </>
  );
};

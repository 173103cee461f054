import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Link, useLocation } from 'wouter';
import { answerOf, isMissing, isPassing } from '../../api/failure.js';
import { useReadAgain } from '../../api/useReadAgain.js';
import { usePathTo } from '../../app/paths.js';
import { Badge } from '../../components/Badge.js';
import { Button } from '../../components/Button.js';
import { CodeDisclosure } from '../../components/CodeDisclosure.js';
import { ConfirmDialog } from '../../components/ConfirmDialog.js';
import { DataView } from '../../components/DataView.js';
import { EmptyState } from '../../components/EmptyState.js';
import { Identifier } from '../../components/Identifier.js';
import { Loading } from '../../components/Loading.js';
import { PageHeader } from '../../components/PageHeader.js';
import { Problem } from '../../components/Problem.js';
import { Time } from '../../components/Time.js';
import { toast } from '../../components/Toast.js';
import { useMay, useProject } from '../../session/console.js';
import { kindText, statuses, type DeadLetter } from './DeadLetters.js';
import { redriveSnippets } from './snippets.js';

/** One dead letter: what was sent, what came of it, and to try it again. */
export const DeadLetterPage = ({ dlqId }: { readonly dlqId: string }) => {
  const { sessionApi, organizationId: orgId, projectId } = useProject();
  const [, navigate] = useLocation();
  const readAgain = useReadAgain();
  const mayEdit = useMay('editor');
  const params = { path: { orgId, dlqId } };
  const [isRedriving, setRedriving] = useState(false);
  const [failure, setFailure] = useState<Error>();
  const [asked, ask] = useState<'give up' | 'delete'>();
  const {
    data: letter,
    error,
    refetch,
  } = useQuery({
    queryKey: [projectId, 'dead-letter', dlqId],
    queryFn: () => answerOf(sessionApi.GET('/organizations/{orgId}/webhook-dlq/{dlqId}', { params })),
    // It is there within a second after the attempt that led here.
    retry: (failures, refused) => (isMissing(refused) || isPassing(refused)) && failures < 3,
    retryDelay: 700,
  });
  const up = { href: '/dead-letters', title: 'Dead letters' };
  const leave = async (said: string): Promise<void> => {
    toast(said);
    navigate('/dead-letters');
    await readAgain();
  };

  const redrive = async (): Promise<void> => {
    setRedriving(true);
    setFailure(undefined);
    try {
      const { delivered, error: why } = (await answerOf(
        sessionApi.POST('/organizations/{orgId}/webhook-dlq/{dlqId}/redrive', {
          params: { ...params, query: { wait: 'true' } },
        }),
      )) as { readonly delivered: boolean; readonly error: string | null };
      if (delivered) return await leave('Delivered: it is no dead letter any more');
      setFailure(
        new Error(`It was tried again, and not delivered: ${why ?? 'the outcome is not known yet'}`),
      );
      await refetch();
    } catch (refused) {
      setFailure(refused as Error);
    } finally {
      setRedriving(false);
    }
  };

  if (isMissing(error))
    return (
      <>
        <PageHeader title="Dead letter" up={up} />
        <EmptyState title="It is no dead letter, or none any more">
          A call becomes one after its last attempt, and leaves the list when it is delivered or deleted.
        </EmptyState>
      </>
    );
  if (letter === undefined)
    return error ? <Problem error={error} retry={refetch} /> : <Loading what="the dead letter" />;
  return (
    <>
      <PageHeader
        title="Dead letter"
        up={up}
        aside={<Badge tone={statuses[letter.status].tone}>{statuses[letter.status].text}</Badge>}
        actions={
          mayEdit && (
            <>
              <Button
                look="primary"
                isPending={isRedriving}
                isDisabled={letter.status === 'dead' || letter.payloadExpired === true}
                onPress={() => void redrive()}
              >
                {isRedriving ? 'Trying…' : 'Redrive'}
              </Button>
              {letter.status !== 'dead' && <Button onPress={() => ask('give up')}>Give up</Button>}
              <Button onPress={() => ask('delete')}>Delete</Button>
            </>
          )
        }
      />
      <div className="stack">
        {failure && <Problem error={failure} />}
        <Facts letter={letter} />
        <section className="section stack">
          <h2>What was sent</h2>
          {letter.payloadExpired ? (
            <p className="muted">Headers and body are not kept any more, so that it cannot be tried again.</p>
          ) : (
            <div className="stack">
              <DataView value={letter.requestBody} what="the body" />
              <h3>Headers</h3>
              <DataView value={letter.requestHeaders} what="the headers" />
            </div>
          )}
        </section>
        <CodeDisclosure label="Redrive it" snippets={redriveSnippets({ organizationId: orgId, dlqId })} />
      </div>
      <ConfirmDialog
        title="Give it up?"
        confirm="Give it up"
        isOpen={asked === 'give up'}
        onClose={() => ask(undefined)}
        onConfirm={async () => {
          await answerOf(
            sessionApi.DELETE('/organizations/{orgId}/webhook-dlq/{dlqId}/mark-dead', { params }),
          );
          await readAgain();
        }}
      >
        <p>It stays in the list, and is never tried again, for good.</p>
      </ConfirmDialog>
      <ConfirmDialog
        title="Delete it?"
        confirm="Delete it"
        isOpen={asked === 'delete'}
        onClose={() => ask(undefined)}
        onConfirm={async () => {
          await answerOf(sessionApi.DELETE('/organizations/{orgId}/webhook-dlq/{dlqId}', { params }));
          await leave('Deleted');
        }}
      >
        <p>The call, with its headers and its body, is gone and will not be made.</p>
      </ConfirmDialog>
    </>
  );
};

const Facts = ({ letter }: { readonly letter: DeadLetter }) => {
  const pathTo = usePathTo();
  const { dlqId, url, createdAt, error, responseStatus, retryCount, redriveCount } = letter;
  return (
    <dl className="facts panel">
      <dt>What</dt>
      <dd>{kindText(letter)}</dd>
      {url !== null && (
        <>
          <dt>To</dt>
          <dd>
            <code>{url}</code>
          </dd>
        </>
      )}
      <dt>Why</dt>
      <dd>{responseStatus === null ? error : `${responseStatus}: ${error}`}</dd>
      <dt>Recorded</dt>
      <dd>
        <Time at={createdAt} exact />, after {retryCount + 1} {retryCount === 0 ? 'attempt' : 'attempts'}
      </dd>
      <dt>Redriven</dt>
      <dd>
        {redriveCount === 0 ? 'never' : `${redriveCount} times, last by ${letter.lastRedriveBy} `}
        {redriveCount > 0 && <Time at={letter.lastRedriveAt} />}
      </dd>
      <dt>Id</dt>
      <dd>
        <Identifier value={dlqId} what="the id" />
      </dd>
      <dt>App</dt>
      <dd>
        <Link href={pathTo('rooms', letter.appId)}>{letter.appId}</Link>
      </dd>
    </dl>
  );
};

import { Link } from 'wouter';
import { usePathTo } from '../../app/paths.js';
import { Button } from '../../components/Button.js';
import { CodeSnippet } from '../../components/CodeSnippet.js';
import { EmptyState } from '../../components/EmptyState.js';
import { Problem } from '../../components/Problem.js';
import { commandOf, curlOf } from '../../components/snippets.js';
import { Time } from '../../components/Time.js';
import { useProject } from '../../session/console.js';
import { ActorAnswer } from './ActorAnswer.js';
import { messagesOf, type TracedMessage, type TraceQuery, type useTrace } from './queries.js';

interface TraceAnswerProps {
  readonly trace: ReturnType<typeof useTrace>;
  readonly query: TraceQuery;
}

export const TraceAnswer = ({ trace, query }: TraceAnswerProps) => {
  const { organizationId, projectId } = useProject();
  const pages = trace.data?.pages ?? [];
  const messages = messagesOf(pages);
  const last = pages.at(-1);
  const { topic = '', messageId: message, actorId: actor, ...others } = query;
  return (
    <div className="stack">
      {trace.error && <Problem error={trace.error} retry={trace.refetch} />}
      {messages.map((each, index) => (
        <MessageAnswer
          key={each.position ?? index}
          message={each}
          topic={topic}
          isAll={actor === undefined}
        />
      ))}
      {last?.hasMore && (
        <p className="notice warn">
          Only the newest {last.examined.toLocaleString('en')} messages were looked at: the history has older
          ones.
        </p>
      )}
      {trace.hasNextPage && (
        <Button
          className="load-more"
          isPending={trace.isFetchingNextPage}
          onPress={() => void trace.fetchNextPage()}
        >
          More actors
        </Button>
      )}
      <CodeSnippet
        label="The same question from a shell"
        snippets={[
          { title: 'curl', code: curlOf(`/organizations/${organizationId}/trace`, { projectId, ...query }) },
          {
            title: 'CLI',
            code: commandOf(['trace', topic], { message, actor, ...others, project: projectId }),
          },
        ]}
      />
    </div>
  );
};

interface MessageAnswerProps {
  readonly message: TracedMessage;
  readonly topic: string;
  /** Nobody was named: all that were in the room. */
  readonly isAll: boolean;
}

const MessageAnswer = ({ message, topic, isAll }: MessageAnswerProps) => {
  const pathTo = usePathTo();
  return (
    <section className="stack" aria-label="What became of the message">
      <div className="traced-message">
        <h2>
          <Head message={message} />
        </h2>
        <Link href={pathTo('live', { address: topic })}>Watch {topic}</Link>
      </div>
      {message.actors.length === 0 ? (
        message.at === null ? (
          <EmptyState title="This message is not known">{message.explanation}</EmptyState>
        ) : (
          <EmptyState title="Nobody was in the room">
            {isAll &&
              'No connection was subscribed there at that time. Name an actor to learn why it was not.'}
          </EmptyState>
        )
      ) : (
        message.actors.map((actor) => (
          <ActorAnswer key={actor.actorTokenId} actor={actor} topic={topic} at={message.at} />
        ))
      )}
    </section>
  );
};

const Head = ({ message }: { readonly message: TracedMessage }) => {
  const { id, at, published, actorTokenId, filters } = message;
  if (at === null) return <>{id === null ? 'The message' : <code>{id}</code>}</>;
  if (!published)
    return (
      <>
        A message at <Time at={at} exact />
      </>
    );
  return (
    <>
      {id === null ? 'A message' : <code>{id}</code>}
      <span className="muted">
        {' '}
        published <Time at={at} exact /> by {actorTokenId === null ? 'a backend' : 'an actor'}
        {filters.length > 0 && `, with the filters ${filters.join(', ')}`}
      </span>
    </>
  );
};

import { EmptyState } from '../../components/EmptyState.js';
import { Loading } from '../../components/Loading.js';
import { PageHeader } from '../../components/PageHeader.js';
import { Problem } from '../../components/Problem.js';
import { useFilters } from '../../app/useFilters.js';
import { TraceAnswer } from './TraceAnswer.js';
import { TraceForm } from './TraceForm.js';
import { isComplete, traceFields, useTrace } from './queries.js';

/** What became of a message, for one actor or for all that were in the room, and why. */
export const TracePage = () => {
  const filters = useFilters(traceFields);
  const trace = useTrace(filters.query);
  return (
    <>
      <PageHeader title="Trace a message">
        Did it arrive, and why not? For one actor, or for all that were in the room. What is known goes back
        seven days.
      </PageHeader>
      <TraceForm filters={filters} error={trace.error} askAgain={() => trace.refetch()} />
      {!isComplete(filters.query) ? (
        <EmptyState title="Which message?">
          Enter its topic, and its id or its position. Without history there is no message to find: ask for a
          time instead, and the answer says what would have become of one.
        </EmptyState>
      ) : trace.error && trace.data === undefined ? (
        <Problem error={trace.error} retry={trace.refetch} />
      ) : trace.data === undefined ? (
        <Loading what="what became of it" />
      ) : (
        <TraceAnswer trace={trace} query={filters.query} />
      )}
    </>
  );
};

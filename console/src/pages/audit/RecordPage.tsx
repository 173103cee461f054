import { keepPreviousData, useQuery, type UseQueryResult } from '@tanstack/react-query';
import { Link } from 'wouter';
import { useFilters } from '../../app/useFilters.js';
import { ChangeLine } from '../../components/ChangeLine.js';
import { TextField } from '../../components/fields.js';
import { EmptyState } from '../../components/EmptyState.js';
import { FilterForm } from '../../components/FilterForm.js';
import { Json } from '../../components/Json.js';
import { Loading } from '../../components/Loading.js';
import { Problem } from '../../components/Problem.js';
import { Time } from '../../components/Time.js';
import { TimeField } from '../../components/TimeField.js';
import { useProject } from '../../session/console.js';
import { AuditHeader } from './AuditHeader.js';
import { Differences } from './Differences.js';
import { differencesQuery, stateQuery } from './queries.js';

const names = ['resourceId', 'from', 'to'] as const;

/** A record as it was, and what has become of it between two times. */
export const RecordPage = () => {
  const project = useProject();
  const filters = useFilters(names);
  const { resourceId = '', from, to } = filters.query;
  const state = useQuery({
    ...stateQuery(project, { resourceId, ...(to === undefined ? {} : { at: to }) }),
    enabled: resourceId !== '',
    placeholderData: keepPreviousData,
  });
  const differences = useQuery({
    ...differencesQuery(project, { resourceId, from: from ?? '', ...(to === undefined ? {} : { to }) }),
    enabled: resourceId !== '' && from !== undefined,
  });
  const refused = state.error ?? differences.error;
  return (
    <>
      <AuditHeader title="A record at a time">
        What an app, a room, an actor or any other record was at a past time, and who made it so.
      </AuditHeader>
      <FilterForm
        label="Find a record"
        filters={filters}
        error={refused}
        askAgain={() =>
          Promise.all([state.refetch(), from === undefined ? undefined : differences.refetch()])
        }
      >
        {(field) => (
          <>
            <TextField
              {...field('resourceId')}
              label="Record"
              description="Its id, as the time line has it"
              isRequired
              isCode
            />
            <TimeField {...field('to')} label="At" description="Now, where nothing is given" />
            <TimeField {...field('from')} label="Compared with" description="An earlier time" />
          </>
        )}
      </FilterForm>
      {resourceId === '' ? (
        <EmptyState title="Which record?">
          Enter its id, or choose a change on the time line and open one of its records.
        </EmptyState>
      ) : refused ? (
        <Problem error={refused} retry={() => (state.error ? state.refetch() : differences.refetch())} />
      ) : (
        <div className="stack">
          {from !== undefined && <Compared differences={differences} />}
          <State state={state} />
          <p>
            <Link href={`/?resourceId=${resourceId}&of=organization`}>All changes of this record</Link>
          </p>
        </div>
      )}
    </>
  );
};

type QueryOf<Options extends (...given: never) => { queryFn?: unknown }> = UseQueryResult<
  Awaited<ReturnType<Extract<ReturnType<Options>['queryFn'], (...given: never) => unknown>>>
>;

const Compared = ({ differences }: { readonly differences: QueryOf<typeof differencesQuery> }) => {
  if (differences.data === undefined) return <Loading what="the differences" />;
  const { from, to } = differences.data;
  return (
    <section aria-labelledby="differences">
      <div className="panel-head">
        <h2 id="differences">Differences</h2>
        <span className="muted">
          <Time at={from} exact /> – <Time at={to} exact />
        </span>
      </div>
      <Differences differences={differences.data.differences} />
    </section>
  );
};

const State = ({ state }: { readonly state: QueryOf<typeof stateQuery> }) => {
  if (state.data === undefined) return <Loading what="the record" />;
  const { record, resourceType, at, lastChange } = state.data;
  return (
    <section aria-labelledby="state" className="panel">
      <div className="panel-head">
        <h2 id="state">
          The record of <code>{resourceType}</code>
        </h2>
        <span className="muted">
          at <Time at={at} exact />
        </span>
      </div>
      {lastChange && (
        <p className="last-change">
          Last change: <ChangeLine change={lastChange} />
        </p>
      )}
      {record === null ? <p>It did not exist at this time.</p> : <Json value={record} label="The record" />}
    </section>
  );
};

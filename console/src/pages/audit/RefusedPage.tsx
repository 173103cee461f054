import { useFilters } from '../../app/useFilters.js';
import { DataTable, type Column } from '../../components/DataTable.js';
import { EmptyState } from '../../components/EmptyState.js';
import { TextField } from '../../components/fields.js';
import { FilterForm } from '../../components/FilterForm.js';
import { Principal } from '../../components/Principal.js';
import { Time } from '../../components/Time.js';
import { TimeField } from '../../components/TimeField.js';
import { AuditHeader } from './AuditHeader.js';
import { refusalFilters, useRefusals, type Refusal } from './queries.js';
import { WholeField } from './WholeField.js';

/** The access log: calls and sockets that were refused to callers who are known. */
export const RefusedPage = () => {
  const filters = useFilters(refusalFilters);
  const refusals = useRefusals(filters.query);
  return (
    <>
      <AuditHeader title="Refused">
        What was refused to whom, over REST and on the socket. Kept for 90 days; a second or two old.
      </AuditHeader>
      <FilterForm
        label="Find refusals"
        filters={filters}
        error={refusals.error}
        askAgain={() => refusals.refetch()}
      >
        {(field) => (
          <>
            <TextField
              {...field('principal')}
              label="Principal"
              description="Who asked: actor:at_live_…, apiKey:ak_live_…"
              isCode
            />
            <TextField
              {...field('reason')}
              label="Reason"
              description="For example permission_missing"
              isCode
            />
            <TimeField {...field('from')} label="From" />
            <TimeField {...field('to')} label="To" />
            <WholeField {...field('of')} />
          </>
        )}
      </FilterForm>
      <DataTable
        label="Refusals"
        columns={columns}
        keyOf={keyOf}
        query={refusals}
        empty={
          <EmptyState title="Nothing was refused">
            At least not in this time, to whom you look for.
          </EmptyState>
        }
      />
    </>
  );
};

const keyOf = ({ at, principal, route, reason, address }: Refusal): string =>
  [at, principal, route, reason, address].join(' ');

const columns: readonly Column<Refusal>[] = [
  { title: 'Time', cell: ({ at }) => <Time at={at} exact /> },
  { title: 'Who', cell: ({ principal }) => <Principal principal={principal} leadsTo="refusals" /> },
  {
    title: 'What',
    cell: ({ method, route }) => (
      <code>
        {method} {route}
      </code>
    ),
  },
  {
    title: 'Reason',
    cell: ({ status, reason }) => (
      <>
        {status} <code>{reason}</code>
      </>
    ),
  },
  { title: 'From', cell: ({ address }) => <code>{address}</code> },
  { title: 'Times', align: 'end', cell: ({ count }) => count },
];

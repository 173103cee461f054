import { Link } from 'wouter';
import { useFilters } from '../../app/useFilters.js';
import { ActorName } from '../../components/ActorName.js';
import { ActorSuggest } from '../../components/ActorSuggest.js';
import { AddressSuggest } from '../../components/AddressSuggest.js';
import { DataTable, type Column } from '../../components/DataTable.js';
import { EmptyState } from '../../components/EmptyState.js';
import { SelectField } from '../../components/fields.js';
import { FilterForm } from '../../components/FilterForm.js';
import { PageHeader } from '../../components/PageHeader.js';
import { Time } from '../../components/Time.js';
import { ConnectionState } from './ConnectionState.js';
import { connectionFilters, useConnections, type Connection } from './queries.js';

const states = [
  { id: 'any', title: 'Open or closed' },
  { id: 'open', title: 'Open now' },
  { id: 'closed', title: 'Closed' },
] as const;

export const ConnectionList = () => {
  const filters = useFilters(connectionFilters);
  const connections = useConnections(filters.query);
  return (
    <>
      <PageHeader title="Connections">
        Who is connected, and who was in the last seven days. Open one to see what happened to it.
      </PageHeader>
      <FilterForm
        label="Find connections"
        filters={filters}
        error={connections.error}
        askAgain={() => connections.refetch()}
      >
        {(field) => (
          <>
            <ActorSuggest {...field('actorId')} label="Actor" description="A part of its name, or its id" />
            <AddressSuggest
              {...field('room')}
              label="Room"
              description="Where it was subscribed at some time"
              placeholder="app/room"
              upTo="room"
            />
            <StateField {...field('state')} />
          </>
        )}
      </FilterForm>
      <DataTable
        label="Connections"
        columns={columns}
        keyOf={({ connectionId }) => connectionId}
        query={connections}
        empty={
          <EmptyState title="No connection">
            Nobody like this is, or was, connected. Connections are on record from when they authenticate.
          </EmptyState>
        }
      />
    </>
  );
};

interface StateFieldProps {
  readonly name: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
}

const StateField = ({ name, value, onChange }: StateFieldProps) => (
  <SelectField
    name={name}
    label="State"
    choices={states}
    value={value || 'any'}
    onChange={(id) => onChange(id === 'any' ? '' : id)}
  />
);

const columns: readonly Column<Connection>[] = [
  {
    title: 'Connected',
    cell: ({ connectionId, connectedAt }) => (
      <Link href={`/${connectionId}`}>
        <Time at={connectedAt} exact />
      </Link>
    ),
  },
  { title: 'Actor', cell: (connection) => <ConnectedActor connection={connection} /> },
  { title: 'State', cell: (connection) => <ConnectionState connection={connection} /> },
  { title: 'Address', cell: ({ address }) => <code>{address}</code> },
  { title: 'Client', cell: ({ sdk }) => sdk ?? <span className="muted">did not say</span> },
  { title: 'Subscriptions', align: 'end', cell: ({ subscriptions }) => subscriptions },
];

/** Observers of the console and external actors are no records of the project. */
export const ConnectedActor = ({ connection }: { readonly connection: Connection }) => {
  const { actorTokenId, actorType, keyId } = connection;
  if (actorType === 'observer') return <>the console</>;
  if (keyId.startsWith('ext:')) return <code>{keyId}</code>;
  return <ActorName actorTokenId={actorTokenId} />;
};

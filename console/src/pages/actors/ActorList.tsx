import { useState } from 'react';
import { Link } from 'wouter';
import { answerOf } from '../../api/failure.js';
import type { Schemas } from '../../api/schemas.js';
import { useRows } from '../../api/useRows.js';
import { Button } from '../../components/Button.js';
import { DataTable, type Column } from '../../components/DataTable.js';
import { EmptyState } from '../../components/EmptyState.js';
import { NameSearch } from '../../components/NameSearch.js';
import { Identifier } from '../../components/Identifier.js';
import { PageHeader } from '../../components/PageHeader.js';
import { StatusBadge } from '../../components/StatusBadge.js';
import { Time } from '../../components/Time.js';
import { useMay, useProject } from '../../session/console.js';
import { NewActorDialog } from './NewActorDialog.js';

type Actor = Schemas['Actor'];

const columns: readonly Column<Actor>[] = [
  { title: 'Actor', cell: ({ actorTokenId, name }) => <Link href={`/${actorTokenId}`}>{name}</Link> },
  { title: 'Type', cell: ({ actorType }) => actorType },
  { title: 'Key id', cell: ({ keyId }) => <Identifier value={keyId} what="the key id" /> },
  { title: 'State', cell: ({ status }) => <StatusBadge status={status} /> },
  { title: 'Last used', cell: ({ lastUsedAt }) => <Time at={lastUsedAt} /> },
];

export const ActorList = () => {
  const { api, projectId } = useProject();
  const [name, setName] = useState('');
  const [isAdding, setAdding] = useState(false);
  const actors = useRows<Actor>({
    queryKey: [projectId, 'actors', name],
    read: (position) => {
      const query = { limit: 50, ...position, ...(name === '' ? {} : { name }) };
      return answerOf(api.GET('/actors', { params: { query } }));
    },
  });
  const isFiltered = name !== '';
  const isEmpty = actors.rows?.length === 0 && !isFiltered;
  const add = useMay('admin') && (
    <Button look="primary" onPress={() => setAdding(true)}>
      New actor
    </Button>
  );
  return (
    <>
      <PageHeader title="Actors" actions={isEmpty ? undefined : add}>
        Whoever connects to the socket: devices, users, services, agents.
      </PageHeader>
      {!isEmpty && <NameSearch name="actors" value={name} onChange={setName} />}
      <DataTable
        label="Actors"
        columns={columns}
        keyOf={({ actorTokenId }) => actorTokenId}
        query={actors}
        empty={
          isFiltered ? (
            <EmptyState title="No actor of this name" />
          ) : (
            <EmptyState title="No actor yet" action={add}>
              Make one for each client, or let your backend sign tokens for users that Roomwire has no record
              of.
            </EmptyState>
          )
        }
      />
      <NewActorDialog isOpen={isAdding} onClose={() => setAdding(false)} />
    </>
  );
};

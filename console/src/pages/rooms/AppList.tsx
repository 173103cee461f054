import { useState } from 'react';
import { Link } from 'wouter';
import { Button } from '../../components/Button.js';
import { DataTable, type Column } from '../../components/DataTable.js';
import { EmptyState } from '../../components/EmptyState.js';
import { PageHeader } from '../../components/PageHeader.js';
import { Time } from '../../components/Time.js';
import { useMay } from '../../session/console.js';
import type { App } from './model.js';
import { NewAppDialog } from './NewAppDialog.js';
import { useApps } from './queries.js';
import { StatusBadge } from '../../components/StatusBadge.js';

const columns: readonly Column<App>[] = [
  { title: 'App', cell: ({ appId, name }) => <Link href={`/${appId}`}>{name}</Link> },
  { title: 'Slug', cell: ({ slug }) => <code>{slug}</code> },
  {
    title: 'Topics',
    cell: ({ topics }) => (topics.length === 0 ? <span className="muted">none</span> : topics.join(', ')),
  },
  { title: 'State', cell: ({ status }) => <StatusBadge status={status} /> },
  { title: 'Changed', cell: ({ updatedAt }) => <Time at={updatedAt} /> },
];

export const AppList = () => {
  const apps = useApps();
  const [isAdding, setAdding] = useState(false);
  const add = useMay('editor') && (
    <Button look="primary" onPress={() => setAdding(true)}>
      New app
    </Button>
  );
  return (
    <>
      <PageHeader title="Apps and rooms" actions={apps.rows?.length ? add : undefined}>
        An app has rooms, and the topics that each of its rooms has.
      </PageHeader>
      <DataTable
        label="Apps"
        columns={columns}
        keyOf={({ appId }) => appId}
        query={apps}
        empty={
          <EmptyState title="No app yet" action={add}>
            Make one with a topic, then a room: messages go to app/room/topic.
          </EmptyState>
        }
      />
      <NewAppDialog isOpen={isAdding} onClose={() => setAdding(false)} />
    </>
  );
};

import { useState } from 'react';
import { answerOf } from '../../api/failure.js';
import type { Schemas } from '../../api/schemas.js';
import { useReadAgain } from '../../api/useReadAgain.js';
import { useRows } from '../../api/useRows.js';
import { attempt } from '../../components/attempt.js';
import { Badge } from '../../components/Badge.js';
import { Button } from '../../components/Button.js';
import { ConfirmDialog } from '../../components/ConfirmDialog.js';
import { DataTable, type Column } from '../../components/DataTable.js';
import { EmptyState } from '../../components/EmptyState.js';
import { Identifier } from '../../components/Identifier.js';
import { PageHeader } from '../../components/PageHeader.js';
import { Time } from '../../components/Time.js';
import { useMay, useProject } from '../../session/console.js';
import { ScopeDialog } from './ScopeDialog.js';

type Scope = Schemas['Scope'];

const columns: readonly Column<Scope>[] = [
  { title: 'Scope', cell: ({ name }) => <strong>{name}</strong> },
  { title: 'Slug', cell: ({ slug }) => <code>{slug}</code> },
  {
    title: 'Scope id',
    cell: ({ accessScopeId }) => <Identifier value={accessScopeId} what="the scope id" isShort />,
  },
  {
    title: 'State',
    cell: ({ isActive }) =>
      isActive ? <Badge tone="good">active</Badge> : <Badge tone="warn">inactive</Badge>,
  },
  { title: 'Changed', cell: ({ updatedAt }) => <Time at={updatedAt} /> },
];

interface Opened {
  readonly what: 'new' | 'edit' | 'deactivate' | 'delete';
  readonly scope?: Scope;
}

/** Tenants inside of the project: an actor of a scope sees the rooms of that scope alone. */
export const ScopesPage = () => {
  const { api, projectId } = useProject();
  const readAgain = useReadAgain();
  const [opened, open] = useState<Opened>();
  const close = (): void => open(undefined);
  const mayEdit = useMay('admin');
  const scopes = useRows<Scope>({
    queryKey: [projectId, 'scopes'],
    read: ({ page = 1 }) => {
      const query = { page, limit: 50, 'orderBy[]': ['name:ASC'] };
      return answerOf(api.GET('/scopes', { params: { query } }));
    },
  });
  const paramsOf = ({ accessScopeId }: Scope) => ({ path: { scopeId: accessScopeId } });
  const setActive = async (scope: Scope, isActive: boolean): Promise<void> => {
    await answerOf(api.PATCH('/scopes/{scopeId}', { params: paramsOf(scope), body: { isActive } }));
    await readAgain();
  };

  const actions: Column<Scope> = {
    title: 'Actions',
    isActions: true,
    cell: (scope) => (
      <>
        <Button look="quiet" aria-label={`Edit ${scope.name}`} onPress={() => open({ what: 'edit', scope })}>
          Edit
        </Button>
        {scope.isActive ? (
          <Button
            look="quiet"
            aria-label={`Deactivate ${scope.name}`}
            onPress={() => open({ what: 'deactivate', scope })}
          >
            Deactivate
          </Button>
        ) : (
          <Button
            look="quiet"
            aria-label={`Activate ${scope.name}`}
            onPress={() => void attempt(`${scope.name} is active`, () => setActive(scope, true))}
          >
            Activate
          </Button>
        )}
        <Button
          look="quiet"
          aria-label={`Delete ${scope.name}`}
          onPress={() => open({ what: 'delete', scope })}
        >
          Delete
        </Button>
      </>
    ),
  };
  const add = mayEdit && (
    <Button look="primary" onPress={() => open({ what: 'new' })}>
      New scope
    </Button>
  );
  const { what, scope } = opened ?? {};
  return (
    <>
      <PageHeader title="Scopes" actions={scopes.rows?.length ? add : undefined}>
        A scope isolates a tenant: its actors meet one another in rooms that others do not see.
      </PageHeader>
      <DataTable
        label="Scopes"
        columns={mayEdit ? [...columns, actions] : columns}
        keyOf={({ accessScopeId }) => accessScopeId}
        query={scopes}
        empty={
          <EmptyState title="No scope yet" action={add}>
            You need none unless several customers share this project.
          </EmptyState>
        }
      />
      <ScopeDialog isOpen={what === 'new' || what === 'edit'} scope={scope} onClose={close} />
      {scope && (
        <>
          <ConfirmDialog
            title={`Deactivate ${scope.name}?`}
            confirm="Deactivate it"
            isOpen={what === 'deactivate'}
            onClose={close}
            onConfirm={() => setActive(scope, false)}
          >
            <p>The connections of its actors are closed, and they cannot connect until it is active again.</p>
          </ConfirmDialog>
          <ConfirmDialog
            title={`Delete ${scope.name}?`}
            confirm="Delete the scope"
            isOpen={what === 'delete'}
            onClose={close}
            onConfirm={async () => {
              await answerOf(api.DELETE('/scopes/{scopeId}', { params: paramsOf(scope) }));
              await readAgain();
            }}
          >
            <p>What its rooms have on record goes with it. It can be deleted once no actor is in it.</p>
          </ConfirmDialog>
        </>
      )}
    </>
  );
};

import { useState } from 'react';
import { answerOf } from '../../api/failure.js';
import type { Schemas } from '../../api/schemas.js';
import { useReadAgain } from '../../api/useReadAgain.js';
import { useRows } from '../../api/useRows.js';
import { Button } from '../../components/Button.js';
import { ConfirmDialog } from '../../components/ConfirmDialog.js';
import { DataTable, type Column } from '../../components/DataTable.js';
import { EmptyState } from '../../components/EmptyState.js';
import { Identifier } from '../../components/Identifier.js';
import { SecretDialog } from '../../components/SecretDialog.js';
import { Time } from '../../components/Time.js';
import { useMay, useProject } from '../../session/console.js';
import { NewApiKeyDialog } from './NewApiKeyDialog.js';

type ApiKey = Schemas['ApiKey'];

const columns: readonly Column<ApiKey>[] = [
  { title: 'Key', cell: ({ name }) => <strong>{name}</strong> },
  { title: 'Key id', cell: ({ keyId }) => <Identifier value={keyId} what="the key id" /> },
  { title: 'Opens', cell: ({ permissions }) => permissions?.join(', ') ?? 'everything' },
  { title: 'Expires', cell: ({ expiresAt }) => <Time at={expiresAt} /> },
  { title: 'Last used', cell: ({ lastUsedAt }) => <Time at={lastUsedAt} /> },
];

interface Opened {
  readonly what: 'new' | 'rotate' | 'revoke';
  readonly key?: ApiKey;
}

export const ApiKeys = () => {
  const { sessionApi, organizationId: orgId, projectId } = useProject();
  const readAgain = useReadAgain();
  const [opened, open] = useState<Opened>();
  const [secret, setSecret] = useState<string>();
  const close = (): void => open(undefined);
  const mayEdit = useMay('admin');
  const path = { orgId, projectId };
  const keys = useRows<ApiKey>({
    queryKey: [projectId, 'api-keys'],
    read: ({ page = 1 }) => {
      const query = { page, limit: 50, 'orderBy[]': ['createdAt:DESC'] };
      const params = { path, query };
      return answerOf(sessionApi.GET('/organizations/{orgId}/projects/{projectId}/api-keys', { params }));
    },
  });
  const actions: Column<ApiKey> = {
    title: 'Actions',
    isActions: true,
    cell: (key) => (
      <>
        <Button look="quiet" aria-label={`Rotate ${key.name}`} onPress={() => open({ what: 'rotate', key })}>
          Rotate
        </Button>
        <Button look="quiet" aria-label={`Revoke ${key.name}`} onPress={() => open({ what: 'revoke', key })}>
          Revoke
        </Button>
      </>
    ),
  };
  const add = mayEdit && (
    <Button look="primary" onPress={() => open({ what: 'new' })}>
      New API key
    </Button>
  );
  const { what, key } = opened ?? {};
  return (
    <>
      <div className="panel-head">
        <p className="muted">For your backend. A revoked key is refused within a minute.</p>
        {keys.rows?.length ? add : undefined}
      </div>
      <DataTable
        label="API keys"
        columns={mayEdit ? [...columns, actions] : columns}
        keyOf={({ apiKeyId }) => apiKeyId}
        query={keys}
        empty={
          <EmptyState title="No API key yet" action={add}>
            Your backend calls the API with one, and publishes with it.
          </EmptyState>
        }
      />
      <NewApiKeyDialog
        like={key}
        isOpen={what === 'new' || what === 'rotate'}
        onClose={close}
        onMade={setSecret}
      />
      <SecretDialog
        title="The API key is made"
        label="API key"
        value={secret}
        onClose={() => setSecret(undefined)}
      >
        <p className="muted">It stays in your backend: whoever has it can do what it opens.</p>
      </SecretDialog>
      {key && (
        <ConfirmDialog
          title={`Revoke ${key.name}?`}
          confirm="Revoke the key"
          isOpen={what === 'revoke'}
          onClose={close}
          onConfirm={async () => {
            const params = { path: { ...path, apiKeyId: key.apiKeyId } };
            await answerOf(
              sessionApi.DELETE('/organizations/{orgId}/projects/{projectId}/api-keys/{apiKeyId}', {
                params,
              }),
            );
            await readAgain();
          }}
        >
          <p>
            Whatever uses it is refused from then on. It was last used <Time at={key.lastUsedAt} />.
          </p>
        </ConfirmDialog>
      )}
    </>
  );
};

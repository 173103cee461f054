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
import { SecretDialog } from '../../components/SecretDialog.js';
import { StatusBadge } from '../../components/StatusBadge.js';
import { Time } from '../../components/Time.js';
import { useMay, useProject } from '../../session/console.js';
import { NewSigningKeyDialog } from './NewSigningKeyDialog.js';

type SigningKey = Schemas['SigningKey'];

const columns: readonly Column<SigningKey>[] = [
  {
    title: 'Key',
    cell: ({ name, allowExternalActors }) => (
      <>
        <strong>{name}</strong> {allowExternalActors && <Badge>external actors</Badge>}
      </>
    ),
  },
  { title: 'Key id', cell: ({ keyId }) => <Identifier value={keyId} what="the key id" /> },
  { title: 'State', cell: ({ status }) => <StatusBadge status={status} /> },
  { title: 'Last used', cell: ({ lastUsedAt }) => <Time at={lastUsedAt} /> },
];

interface Opened {
  readonly what: 'new' | 'rotate' | 'disable' | 'delete';
  readonly key?: SigningKey;
}

export const SigningKeys = () => {
  const { api, projectId } = useProject();
  const readAgain = useReadAgain();
  const [opened, open] = useState<Opened>();
  const [secret, setSecret] = useState<string>();
  const close = (): void => open(undefined);
  const mayEdit = useMay('admin');
  const keys = useRows<SigningKey>({
    queryKey: [projectId, 'signing-keys'],
    read: ({ page = 1 }) => {
      const query = { page, limit: 50, 'orderBy[]': ['createdAt:DESC'] };
      return answerOf(api.GET('/signing-keys', { params: { query } }));
    },
  });
  const paramsOf = ({ signingKeyId }: SigningKey) => ({ path: { signingKeyId } });
  const setStatus = async (key: SigningKey, status: SigningKey['status']): Promise<void> => {
    await answerOf(api.PATCH('/signing-keys/{signingKeyId}', { params: paramsOf(key), body: { status } }));
    await readAgain();
  };
  const buttons = (key: SigningKey) => {
    const named = (what: string) => `${what} ${key.name}`;
    return (
      <>
        <Button look="quiet" aria-label={named('Rotate')} onPress={() => open({ what: 'rotate', key })}>
          Rotate
        </Button>
        {key.status === 'active' ? (
          <Button look="quiet" aria-label={named('Disable')} onPress={() => open({ what: 'disable', key })}>
            Disable
          </Button>
        ) : (
          <Button
            look="quiet"
            aria-label={named('Enable')}
            onPress={() => void attempt(`${key.name} is active`, () => setStatus(key, 'active'))}
          >
            Enable
          </Button>
        )}
        <Button look="quiet" aria-label={named('Delete')} onPress={() => open({ what: 'delete', key })}>
          Delete
        </Button>
      </>
    );
  };
  const add = mayEdit && (
    <Button look="primary" onPress={() => open({ what: 'new' })}>
      New signing key
    </Button>
  );
  const { what, key } = opened ?? {};
  return (
    <>
      <div className="panel-head">
        <p className="muted">Tokens that a key has signed are valid as long as it is active.</p>
        {keys.rows?.length ? add : undefined}
      </div>
      <DataTable
        label="Signing keys"
        columns={mayEdit ? [...columns, { title: 'Actions', isActions: true, cell: buttons }] : columns}
        keyOf={({ signingKeyId }) => signingKeyId}
        query={keys}
        empty={
          <EmptyState title="No signing key yet" action={add}>
            Clients in browsers and apps connect with short tokens that your backend signs with one.
          </EmptyState>
        }
      />
      <NewSigningKeyDialog
        like={key}
        isOpen={what === 'new' || what === 'rotate'}
        onClose={close}
        onMade={setSecret}
      />
      <SecretDialog
        title="The signing key is made"
        label="Signing key"
        value={secret}
        onClose={() => setSecret(undefined)}
      >
        <p className="muted">It stays in your backend. Whoever has it can sign tokens for every actor.</p>
      </SecretDialog>
      {key && (
        <>
          <ConfirmDialog
            title={`Disable ${key.name}?`}
            confirm="Disable it"
            isOpen={what === 'disable'}
            onClose={close}
            onConfirm={() => setStatus(key, 'disabled')}
          >
            <p>
              Connections with tokens that it has signed are closed; nobody connects with one until it is
              enabled.
            </p>
          </ConfirmDialog>
          <ConfirmDialog
            title={`Delete ${key.name}?`}
            confirm="Delete the key"
            isOpen={what === 'delete'}
            onClose={close}
            onConfirm={async () => {
              await answerOf(api.DELETE('/signing-keys/{signingKeyId}', { params: paramsOf(key) }));
              await readAgain();
            }}
          >
            <p>Tokens that it has signed are valid no more, for good.</p>
          </ConfirmDialog>
        </>
      )}
    </>
  );
};

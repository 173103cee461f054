import { useState } from 'react';
import { answerOf } from '../../api/failure.js';
import type { Schemas } from '../../api/schemas.js';
import { useReadAgain } from '../../api/useReadAgain.js';
import { useRows } from '../../api/useRows.js';
import { Button } from '../../components/Button.js';
import { CodeDisclosure } from '../../components/CodeDisclosure.js';
import { ConfirmDialog } from '../../components/ConfirmDialog.js';
import { DataTable, type Column } from '../../components/DataTable.js';
import { Dialog } from '../../components/Dialog.js';
import { EmptyState } from '../../components/EmptyState.js';
import { TextField } from '../../components/fields.js';
import { Form } from '../../components/Form.js';
import { SecretDialog } from '../../components/SecretDialog.js';
import { Time } from '../../components/Time.js';
import { useMay, useProject } from '../../session/console.js';
import { verifySnippets } from './snippets.js';

type WebhookSecret = Schemas['WebhookSecret'];

const columns: readonly Column<WebhookSecret>[] = [
  { title: 'Secret', cell: ({ name }) => <strong>{name}</strong> },
  { title: 'Made', cell: ({ createdAt }) => <Time at={createdAt} /> },
];

/** What the calls are signed with. While there are two, each call has both signatures: that is how one is replaced. */
export const Secrets = () => {
  const { sessionApi, organizationId: orgId, projectId } = useProject();
  const readAgain = useReadAgain();
  const mayEdit = useMay('admin');
  const [isMaking, setMaking] = useState(false);
  const [deleted, setDeleted] = useState<WebhookSecret>();
  const [shown, setShown] = useState<string>();
  const path = { orgId, projectId };
  const secrets = useRows<WebhookSecret>({
    queryKey: [projectId, 'webhook-secrets'],
    read: ({ page = 1 }) =>
      answerOf(
        sessionApi.GET('/organizations/{orgId}/projects/{projectId}/webhook-secrets', {
          params: { path, query: { page, limit: 50, 'orderBy[]': ['createdAt:DESC'] } },
        }),
      ),
  });
  const count = secrets.rows?.length ?? 0;
  const add = mayEdit && (
    <Button look="primary" onPress={() => setMaking(true)}>
      {count === 0 ? 'New secret' : 'Rotate'}
    </Button>
  );
  return (
    <div className="stack">
      {count > 0 && (
        <div className="panel-head">
          <p className="muted">
            {count === 1
              ? 'Every call is signed with it. To rotate, make a second one, have your backend take both, and delete the first.'
              : 'Every call has a signature of each. Delete the older one once your backend takes the newer.'}
          </p>
          {count < 2 && add}
        </div>
      )}
      <DataTable
        label="Webhook secrets"
        keyOf={({ webhookSecretId }) => webhookSecretId}
        columns={[
          ...columns,
          ...(mayEdit
            ? [
                {
                  title: 'Actions',
                  isActions: true as const,
                  cell: (secret: WebhookSecret) => (
                    <Button
                      look="quiet"
                      aria-label={`Delete ${secret.name}`}
                      onPress={() => setDeleted(secret)}
                    >
                      Delete
                    </Button>
                  ),
                },
              ]
            : []),
        ]}
        query={secrets}
        empty={
          <EmptyState title="Calls are not signed" action={add}>
            With a secret every call has a signature, by which your backend knows that it comes from here.
          </EmptyState>
        }
      />
      <CodeDisclosure label="Verify a signature" snippets={verifySnippets} />
      <Dialog title="New webhook secret" isOpen={isMaking} onClose={() => setMaking(false)}>
        <Form
          submit="Make the secret"
          onCancel={() => setMaking(false)}
          onSubmit={async (values) => {
            const made = await answerOf(
              sessionApi.POST('/organizations/{orgId}/projects/{projectId}/webhook-secrets', {
                params: { path },
                body: { name: values.text('name') },
              }),
            );
            setMaking(false);
            setShown(made.webhookSecret);
            await readAgain();
          }}
        >
          <TextField
            name="name"
            label="Name"
            defaultValue={`From ${new Date().toISOString().slice(0, 10)}`}
            {...{ isRequired: true, autoFocus: true, autoComplete: 'off' }}
          />
        </Form>
      </Dialog>
      <SecretDialog
        title="The secret is made"
        label="Webhook secret"
        value={shown}
        onClose={() => setShown(undefined)}
      >
        <p className="muted">
          Give it to the backend that gets the calls. They are signed with it within a second.
        </p>
      </SecretDialog>
      {deleted && (
        <ConfirmDialog
          title={`Delete ${deleted.name}?`}
          confirm="Delete the secret"
          isOpen
          onClose={() => setDeleted(undefined)}
          onConfirm={async () => {
            const { webhookSecretId } = deleted;
            await answerOf(
              sessionApi.DELETE(
                '/organizations/{orgId}/projects/{projectId}/webhook-secrets/{webhookSecretId}',
                {
                  params: { path: { ...path, webhookSecretId } },
                },
              ),
            );
            await readAgain();
          }}
        >
          <p>
            {count === 1
              ? 'Calls are not signed any more: a backend that verifies them refuses them.'
              : 'A backend that knows this secret alone refuses the calls from now on.'}
          </p>
        </ConfirmDialog>
      )}
    </div>
  );
};

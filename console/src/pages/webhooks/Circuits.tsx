import { useState } from 'react';
import { answerOf } from '../../api/failure.js';
import type { Schemas } from '../../api/schemas.js';
import { useReadAgain } from '../../api/useReadAgain.js';
import { useRows } from '../../api/useRows.js';
import { Button } from '../../components/Button.js';
import { ConfirmDialog } from '../../components/ConfirmDialog.js';
import { DataTable, type Column } from '../../components/DataTable.js';
import { EmptyState } from '../../components/EmptyState.js';
import { Time } from '../../components/Time.js';
import { toast } from '../../components/Toast.js';
import { useMay, useProject } from '../../session/console.js';

type Circuit = Schemas['WebhookCircuit'];

const everyMs = 3_000;
const number = new Intl.NumberFormat('en');

const columns: readonly Column<Circuit>[] = [
  { title: 'Endpoint', cell: ({ url }) => <code>{url}</code> },
  { title: 'Open', cell: ({ openedAt }) => <Time at={openedAt} /> },
  { title: 'Calls in vain', align: 'end', cell: ({ calls }) => number.format(calls) },
];

/** Endpoints that answer nobody: their calls wait, and one is tried every half minute. */
export const Circuits = () => {
  const { sessionApi, organizationId: orgId, projectId } = useProject();
  const readAgain = useReadAgain();
  const mayEdit = useMay('editor');
  const [closed, setClosed] = useState<Circuit>();
  const path = { orgId, projectId };
  const circuits = useRows<Circuit>({
    queryKey: [projectId, 'webhook-circuits'],
    read: ({ page = 1 }) =>
      answerOf(
        sessionApi.GET('/organizations/{orgId}/projects/{projectId}/webhook-circuits', {
          params: { path, query: { page, limit: 50 } },
        }),
      ),
    refetchInterval: everyMs,
  });
  const close = {
    title: 'Actions',
    isActions: true as const,
    cell: (circuit: Circuit) => (
      <Button
        look="quiet"
        aria-label={`Close the circuit of ${circuit.url}`}
        onPress={() => setClosed(circuit)}
      >
        Close
      </Button>
    ),
  };
  return (
    <>
      <DataTable
        label="Open circuits"
        columns={mayEdit ? [...columns, close] : columns}
        keyOf={({ url }) => url}
        query={circuits}
        empty={
          <EmptyState title="No circuit is open">
            An endpoint that got 50 calls and has answered none for five minutes stands here: its calls wait,
            for a day at most, and one is tried every 30 seconds. Until then, failed calls are with the dead
            letters.
          </EmptyState>
        }
      />
      {closed && (
        <ConfirmDialog
          title="Close this circuit?"
          confirm="Close it"
          isOpen
          onClose={() => setClosed(undefined)}
          onConfirm={async () => {
            await answerOf(
              sessionApi.POST('/organizations/{orgId}/projects/{projectId}/webhook-circuits/close', {
                params: { path },
                body: { url: closed.url },
              }),
            );
            toast('It is closed; the calls that waited are made');
            await readAgain();
          }}
        >
          <p>
            The calls that wait for <code>{closed.url}</code> are made within seconds. Where it still answers
            nobody they fail as usual, and it opens again.
          </p>
        </ConfirmDialog>
      )}
    </>
  );
};

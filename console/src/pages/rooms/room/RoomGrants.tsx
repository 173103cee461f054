import { useState } from 'react';
import { useReadAgain } from '../../../api/useReadAgain.js';
import { answerOf } from '../../../api/failure.js';
import { attempt } from '../../../components/attempt.js';
import { Badge } from '../../../components/Badge.js';
import { Button } from '../../../components/Button.js';
import { DataTable, type Column } from '../../../components/DataTable.js';
import { EmptyState } from '../../../components/EmptyState.js';
import { Time } from '../../../components/Time.js';
import { useGuardedChange } from '../../../impact/useGuardedChange.js';
import { useMay, useProject } from '../../../session/console.js';
import { ActorName } from '../../../components/ActorName.js';
import type { App, Grant, Room } from '../model.js';
import { useGrants } from '../queries.js';
import { NewGrantDialog, permissionTitles } from './NewGrantDialog.js';

const columns: readonly Column<Grant>[] = [
  {
    title: 'Who',
    cell: ({ actorTokenId, actorType }) =>
      actorTokenId === null ? <>every {actorType}</> : <ActorName actorTokenId={actorTokenId} />,
  },
  { title: 'May', cell: ({ permission }) => permissionTitles[permission] },
  {
    title: 'Topics',
    cell: ({ topics }) => (topics?.length ? topics.join(', ') : <span className="muted">all</span>),
  },
  {
    title: 'State',
    cell: ({ isActive, expiresAt }) => {
      if (!isActive) return <Badge tone="warn">inactive</Badge>;
      const isOver = expiresAt !== null && Date.parse(expiresAt) <= Date.now();
      return isOver ? <Badge tone="bad">expired</Badge> : <Badge tone="good">active</Badge>;
    },
  },
  { title: 'Expires', cell: ({ expiresAt }) => <Time at={expiresAt} /> },
];

interface RoomGrantsProps {
  readonly app: App;
  readonly room: Room;
}

/** Who may do what in the room. Without a grant it is open, unless the app says otherwise. */
export const RoomGrants = ({ app, room }: RoomGrantsProps) => {
  const { api } = useProject();
  const grants = useGrants(app.appId, room.roomId);
  const readAgain = useReadAgain();
  const { guard, question } = useGuardedChange();
  const [isAdding, setAdding] = useState(false);
  const mayEdit = useMay('admin');
  const path = { appId: app.appId, roomId: room.roomId };

  const revoke = ({ roomActorAccessId }: Grant): Promise<void> => {
    const params = { path: { ...path, roomActorAccessId } };
    return attempt('The grant is revoked', () =>
      guard({
        title: 'Revoke the grant?',
        confirm: 'Revoke it',
        method: 'DELETE',
        path: `/apps/${path.appId}/rooms/${path.roomId}/actors/${roomActorAccessId}`,
        run: async () => {
          await answerOf(api.DELETE('/apps/{appId}/rooms/{roomId}/actors/{roomActorAccessId}', { params }));
          await readAgain();
        },
      }),
    );
  };

  const add = mayEdit && <Button onPress={() => setAdding(true)}>New grant</Button>;
  const actions: Column<Grant> = {
    title: 'Actions',
    isActions: true,
    cell: (grant) => (
      <Button look="quiet" onPress={() => void revoke(grant)}>
        Revoke
      </Button>
    ),
  };
  return (
    <section className="section" aria-labelledby="grants">
      <div className="panel-head">
        <h2 id="grants">Grants</h2>
        {grants.rows?.length ? add : undefined}
      </div>
      <DataTable
        label="Grants"
        columns={mayEdit ? [...columns, actions] : columns}
        keyOf={({ roomActorAccessId }) => roomActorAccessId}
        query={grants}
        empty={
          <EmptyState
            title={app.config.accessMode === 'private' ? 'Nobody may use this room' : 'The room is open'}
            action={add}
          >
            {app.config.accessMode === 'private'
              ? 'The app is private: only actors with a grant may use its rooms.'
              : 'Every actor of the project may use it. The first grant makes it private.'}
          </EmptyState>
        }
      />
      <NewGrantDialog
        app={app}
        room={room}
        guard={guard}
        isOpen={isAdding}
        onClose={() => setAdding(false)}
      />
      {question}
    </section>
  );
};

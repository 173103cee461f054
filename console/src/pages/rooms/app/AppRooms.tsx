import { useState } from 'react';
import { Link } from 'wouter';
import { useReadAgain } from '../../../api/useReadAgain.js';
import { answerOf } from '../../../api/failure.js';
import { Button } from '../../../components/Button.js';
import { DataTable, type Column } from '../../../components/DataTable.js';
import { Dialog } from '../../../components/Dialog.js';
import { EmptyState } from '../../../components/EmptyState.js';
import { NameSearch } from '../../../components/NameSearch.js';
import { TextField } from '../../../components/fields.js';
import { Form } from '../../../components/Form.js';
import { Time } from '../../../components/Time.js';
import { toast } from '../../../components/Toast.js';
import { useMay, useProject } from '../../../session/console.js';
import type { App, Room } from '../model.js';
import { useRooms } from '../queries.js';
import { StatusBadge } from '../../../components/StatusBadge.js';

const columns: readonly Column<Room>[] = [
  { title: 'Room', cell: ({ appId, roomId, name }) => <Link href={`/${appId}/${roomId}`}>{name}</Link> },
  { title: 'Slug', cell: ({ slug }) => <code>{slug}</code> },
  {
    title: 'Topics',
    cell: ({ topics }) =>
      topics.length === 0 ? <span className="muted">those of the app</span> : topics.join(', '),
  },
  { title: 'State', cell: ({ status }) => <StatusBadge status={status} /> },
  { title: 'Changed', cell: ({ updatedAt }) => <Time at={updatedAt} /> },
];

export const AppRooms = ({ app }: { readonly app: App }) => {
  const [name, setName] = useState('');
  const [isAdding, setAdding] = useState(false);
  const rooms = useRooms(app.appId, name);
  const add = useMay('editor') && (
    <Button look="primary" onPress={() => setAdding(true)}>
      New room
    </Button>
  );
  const isFiltered = name !== '';
  return (
    <section className="section" aria-labelledby="rooms">
      <div className="panel-head">
        <h2 id="rooms">Rooms</h2>
        {(isFiltered || rooms.rows?.length !== 0) && add}
      </div>
      {(isFiltered || rooms.hasMore) && <NameSearch name="rooms" value={name} onChange={setName} />}
      <DataTable
        label="Rooms"
        columns={columns}
        keyOf={({ roomId }) => roomId}
        query={rooms}
        empty={
          isFiltered ? (
            <EmptyState title="No room of this name" />
          ) : (
            <EmptyState title="No room yet" action={add}>
              A room has an address of its own for each topic of the app.
            </EmptyState>
          )
        }
      />
      <NewRoomDialog app={app} isOpen={isAdding} onClose={() => setAdding(false)} />
    </section>
  );
};

interface NewRoomDialogProps {
  readonly app: App;
  readonly isOpen: boolean;
  readonly onClose: () => void;
}

const NewRoomDialog = ({ app, isOpen, onClose }: NewRoomDialogProps) => {
  const { api } = useProject();
  const readAgain = useReadAgain();
  const path = { appId: app.appId };
  return (
    <Dialog title="New room" isOpen={isOpen} onClose={onClose}>
      <Form
        submit="Make the room"
        onCancel={onClose}
        onSubmit={async (values) => {
          const slug = values.optional('slug');
          const topics = values.list('topics');
          const body = {
            name: values.text('name'),
            description: values.optional('description') ?? null,
            ...(slug === undefined ? {} : { slug }),
            ...(topics.length === 0 ? {} : { topics }),
          };
          const room = await answerOf(api.POST('/apps/{appId}/rooms', { params: { path }, body }));
          await readAgain();
          onClose();
          toast(`${room.name} is made`);
        }}
      >
        <TextField name="name" label="Name" isRequired autoFocus autoComplete="off" />
        <TextField
          name="slug"
          label="Slug"
          description="The second part of its addresses. Made from the name without one."
          autoComplete="off"
          isCode
        />
        <TextField
          name="topics"
          label="Topics"
          description={`Only these of the app's (${app.topics.join(', ') || 'it has none yet'}); all of them without any.`}
          autoComplete="off"
          isCode
        />
        <TextField name="description" label="Description" autoComplete="off" />
      </Form>
    </Dialog>
  );
};

import { useState } from 'react';
import { actorTypeChoices, type ActorType } from '../../../api/actorTypes.js';
import { useReadAgain } from '../../../api/useReadAgain.js';
import { answerOf } from '../../../api/failure.js';
import { ActorField } from '../../../components/ActorField.js';
import { Dialog } from '../../../components/Dialog.js';
import { SelectField, TextField } from '../../../components/fields.js';
import { Form } from '../../../components/Form.js';
import type { FormValues } from '../../../components/formValues.js';
import { toast } from '../../../components/Toast.js';
import type { useGuardedChange } from '../../../impact/useGuardedChange.js';
import { UntilField } from '../../../components/UntilField.js';
import { useProject } from '../../../session/console.js';
import { type App, type Grant, type NewGrant, type Room } from '../model.js';

export const permissionTitles = {
  subscribe: 'subscribe',
  publish: 'publish',
  pubSub: 'publish and subscribe',
} as const satisfies Record<Grant['permission'], string>;

const permissions = [
  { id: 'pubSub', title: 'Publish and subscribe' },
  { id: 'subscribe', title: 'Subscribe' },
  { id: 'publish', title: 'Publish' },
] as const;

const holders = [
  { id: 'actor', title: 'One actor' },
  { id: 'type', title: 'All actors of a type' },
] as const;

interface NewGrantDialogProps {
  readonly app: App;
  readonly room: Room;
  readonly guard: ReturnType<typeof useGuardedChange>['guard'];
  readonly isOpen: boolean;
  readonly onClose: () => void;
}

export const NewGrantDialog = ({ app, room, guard, isOpen, onClose }: NewGrantDialogProps) => {
  const { api } = useProject();
  const readAgain = useReadAgain();
  const [holder, setHolder] = useState<string>('actor');
  const path = { appId: app.appId, roomId: room.roomId };

  const grant = async (values: FormValues): Promise<void> => {
    const body = grantOf(values, holder);
    const isDone = await guard({
      title: 'Make the grant?',
      confirm: 'Make it',
      method: 'POST',
      path: `/apps/${path.appId}/rooms/${path.roomId}/actors`,
      body,
      run: async () => {
        await answerOf(api.POST('/apps/{appId}/rooms/{roomId}/actors', { params: { path }, body }));
        await readAgain();
      },
    });
    if (!isDone) return;
    onClose();
    toast('The grant is made');
  };

  return (
    <Dialog title={`New grant in ${room.name}`} isOpen={isOpen} onClose={onClose}>
      <Form submit="Make the grant" onCancel={onClose} onSubmit={grant}>
        <SelectField name="holder" label="Who" choices={holders} value={holder} onChange={setHolder} />
        {holder === 'actor' ? (
          <ActorField name="actorTokenId" label="Actor" isRequired />
        ) : (
          <SelectField name="actorType" label="Type" choices={actorTypeChoices} defaultValue="user" />
        )}
        <SelectField name="permission" label="May" choices={permissions} defaultValue="pubSub" />
        <TextField
          name="topics"
          label="Topics"
          description="Only these; all of the room's without any."
          autoComplete="off"
          isCode
        />
        <UntilField />
      </Form>
    </Dialog>
  );
};

const grantOf = (values: FormValues, holder: string): NewGrant => {
  const [topics, expiresAt] = [values.list('topics'), values.time('expiresAt')];
  return {
    permission: values.text('permission') as Grant['permission'],
    ...(holder === 'actor'
      ? { actorTokenId: values.text('actorTokenId') }
      : { actorType: values.text('actorType') as ActorType }),
    ...(topics.length > 0 && { topics }),
    ...(expiresAt !== undefined && { expiresAt }),
  };
};

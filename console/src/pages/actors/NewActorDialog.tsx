import { useState } from 'react';
import { actorTypeChoices, type ActorType } from '../../api/actorTypes.js';
import { answerOf } from '../../api/failure.js';
import { useReadAgain } from '../../api/useReadAgain.js';
import { Dialog } from '../../components/Dialog.js';
import { SelectField, TextField } from '../../components/fields.js';
import { Form } from '../../components/Form.js';
import type { FormValues } from '../../components/formValues.js';
import { ScopeField, scopeGiven } from '../../components/ScopeField.js';
import { SecretDialog } from '../../components/SecretDialog.js';
import { UntilField } from '../../components/UntilField.js';
import { useProject } from '../../session/console.js';

interface NewActorDialogProps {
  readonly isOpen: boolean;
  readonly onClose: () => void;
}

export const NewActorDialog = ({ isOpen, onClose }: NewActorDialogProps) => {
  const { api } = useProject();
  const readAgain = useReadAgain();
  const [accessToken, setAccessToken] = useState<string>();

  const make = async (values: FormValues): Promise<void> => {
    const expiresAt = values.time('expiresAt');
    const body = {
      name: values.text('name'),
      actorType: values.text('actorType') as ActorType,
      accessScopeId: scopeGiven(values.text('accessScopeId')),
      ...(expiresAt !== undefined && { expiresAt }),
    };
    const made = await answerOf(api.POST('/actors', { body }));
    setAccessToken(made.accessToken);
    onClose();
    await readAgain();
  };

  return (
    <>
      <Dialog title="New actor" isOpen={isOpen} onClose={onClose}>
        <Form submit="Make the actor" onCancel={onClose} onSubmit={make}>
          <TextField name="name" label="Name" isRequired autoFocus autoComplete="off" />
          <SelectField
            name="actorType"
            label="Type"
            description="Grants may be for a type, and an observer never publishes."
            choices={actorTypeChoices}
            defaultValue="user"
          />
          <ScopeField
            name="accessScopeId"
            label="Scope"
            description="It then sees its scope's rooms alone."
          />
          <UntilField />
        </Form>
      </Dialog>
      <SecretDialog
        title="The actor is made"
        label="Access token"
        value={accessToken}
        onClose={() => setAccessToken(undefined)}
      >
        <p className="muted">
          The client connects with it. For browsers let your backend sign short tokens instead.
        </p>
      </SecretDialog>
    </>
  );
};

import { useState } from 'react';
import { useLocation } from 'wouter';
import { answerOf } from '../../api/failure.js';
import type { Schemas } from '../../api/schemas.js';
import { useReadAgain } from '../../api/useReadAgain.js';
import { attempt } from '../../components/attempt.js';
import { Button } from '../../components/Button.js';
import { ConfirmDialog } from '../../components/ConfirmDialog.js';
import { Dialog } from '../../components/Dialog.js';
import { TextField } from '../../components/fields.js';
import { Form } from '../../components/Form.js';
import type { FormValues } from '../../components/formValues.js';
import { ScopeField, scopeGiven } from '../../components/ScopeField.js';
import { toast } from '../../components/Toast.js';
import { ForetoldImpact } from '../../impact/ForetoldImpact.js';
import { useGuardedChange } from '../../impact/useGuardedChange.js';
import { useMay, useProject } from '../../session/console.js';

type Actor = Schemas['Actor'];
type Opened = 'edit' | 'disable' | 'revoke' | 'delete';

/** Actions on an actor; those that the role does not allow are hidden. */
export const ActorActions = ({ actor }: { readonly actor: Actor }) => {
  const { api } = useProject();
  const readAgain = useReadAgain();
  const [, navigate] = useLocation();
  const [opened, open] = useState<Opened>();
  const { guard, question } = useGuardedChange();
  const close = (): void => open(undefined);
  const path = `/actors/${actor.actorTokenId}`;
  const params = { path: { actorId: actor.actorTokenId } };
  const isActive = actor.status === 'active';
  if (!useMay('admin')) return null;

  const change = async (body: Schemas['ActorChanges']): Promise<void> => {
    await answerOf(api.PATCH('/actors/{actorId}', { params, body }));
    await readAgain();
  };
  const save = async (values: FormValues): Promise<void> => {
    const body = {
      name: values.text('name'),
      accessScopeId: scopeGiven(values.text('accessScopeId')),
      metadata: (values.json('metadata') ?? null) as Record<string, unknown> | null,
    };
    const isDone = await guard({
      title: `Change ${actor.name}?`,
      confirm: 'Change it',
      method: 'PATCH',
      path,
      body,
      run: () => change(body),
    });
    if (!isDone) return;
    close();
    toast(`${actor.name} is changed`);
  };
  const enable = (): Promise<void> => attempt(`${actor.name} is active`, () => change({ status: 'active' }));

  return (
    <>
      <Button onPress={() => open('edit')}>Edit</Button>
      <Button onPress={() => (isActive ? open('disable') : void enable())}>
        {isActive ? 'Disable…' : 'Enable'}
      </Button>
      <Button onPress={() => open('revoke')}>End its client tokens…</Button>
      <Button onPress={() => open('delete')}>Delete…</Button>
      <Dialog title={`Edit ${actor.name}`} isOpen={opened === 'edit'} onClose={close}>
        <Form submit="Save" onCancel={close} onSubmit={save}>
          <TextField name="name" label="Name" defaultValue={actor.name} isRequired autoFocus />
          <ScopeField
            name="accessScopeId"
            label="Scope"
            description="In another scope its subscriptions are to other rooms at once."
            defaultValue={actor.accessScopeId}
          />
          <TextField
            name="metadata"
            label="Metadata"
            description="A JSON object of your own."
            defaultValue={actor.metadata === null ? '' : JSON.stringify(actor.metadata, null, 2)}
            rows={4}
            isCode
          />
        </Form>
      </Dialog>
      <ConfirmDialog
        title={`Disable ${actor.name}?`}
        confirm="Disable it"
        isOpen={opened === 'disable'}
        onClose={close}
        onConfirm={() => change({ status: 'disabled' })}
      >
        <p>Its connections are closed, and it cannot connect until somebody enables it.</p>
        <ForetoldImpact change={{ method: 'PATCH', path, body: { status: 'disabled' } }} />
      </ConfirmDialog>
      <ConfirmDialog
        title={`End the client tokens of ${actor.name}?`}
        confirm="End them"
        isOpen={opened === 'revoke'}
        onClose={close}
        onConfirm={async () => {
          await answerOf(api.POST('/revocations', { body: { subject: actor.actorTokenId } }));
          toast('Its client tokens have ended');
        }}
      >
        <p>
          Whoever is connected with one that your backend has signed until now is closed. Its access token
          stays valid.
        </p>
      </ConfirmDialog>
      <ConfirmDialog
        title={`Delete ${actor.name}?`}
        confirm="Delete the actor"
        isOpen={opened === 'delete'}
        onClose={close}
        onConfirm={async () => {
          await answerOf(api.DELETE('/actors/{actorId}', { params }));
          navigate('/');
          await readAgain();
          toast(`${actor.name} is deleted`);
        }}
      >
        <p>Its connections are closed, and its grants go with it.</p>
        <ForetoldImpact change={{ method: 'DELETE', path }} />
      </ConfirmDialog>
      {question}
    </>
  );
};

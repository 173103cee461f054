import { Fragment, useState } from 'react';
import { useLocation } from 'wouter';
import { useReadAgain } from '../../../api/useReadAgain.js';
import { answerOf } from '../../../api/failure.js';
import { attempt } from '../../../components/attempt.js';
import { Button } from '../../../components/Button.js';
import { ConfirmDialog } from '../../../components/ConfirmDialog.js';
import { Dialog } from '../../../components/Dialog.js';
import { TextField } from '../../../components/fields.js';
import { Form } from '../../../components/Form.js';
import { toast } from '../../../components/Toast.js';
import { ForetoldImpact } from '../../../impact/ForetoldImpact.js';
import { useMay, useProject } from '../../../session/console.js';
import { editOf } from '../edit.js';
import type { App } from '../model.js';
import { useAppChange } from './useAppChange.js';

/** What may be done with the app as a whole. */
export const AppActions = ({ app }: { readonly app: App }) => {
  const [open, setOpen] = useState<'rename' | 'delete'>();
  const { change, question } = useAppChange(app);
  const close = (): void => setOpen(undefined);
  const isActive = app.status === 'active';
  if (!useMay('editor')) return null;
  const toggle = (): Promise<void> => {
    const status = isActive ? 'disabled' : 'active';
    return attempt(`${app.name} is ${status}`, () => change(editOf(app, { status }), `Disable ${app.name}?`));
  };
  return (
    <>
      <Button onPress={() => setOpen('rename')}>Rename</Button>
      {app.status !== 'suspended' && (
        <Button onPress={() => void toggle()}>{isActive ? 'Disable' : 'Enable'}</Button>
      )}
      <Button onPress={() => setOpen('delete')}>Delete…</Button>
      {open === 'rename' && <RenameDialog app={app} onClose={close} />}
      <DeleteDialog app={app} onClose={close} isOpen={open === 'delete'} />
      {question}
    </>
  );
};

interface AppDialogProps {
  readonly app: App;
  readonly onClose: () => void;
}

const RenameDialog = ({ app, onClose }: AppDialogProps) => {
  // The fields keep what they began with, whatever the page reads meanwhile.
  const [shown, show] = useState(app);
  const { change, question } = useAppChange(shown, show);
  return (
    <>
      <Dialog title={`Rename ${app.name}`} isOpen onClose={onClose}>
        <Form
          submit="Save"
          onCancel={onClose}
          onSubmit={async (values) => {
            const entered = {
              name: values.text('name'),
              slug: values.text('slug'),
              description: values.optional('description') ?? null,
            };
            if (await change(editOf(shown, entered), 'Change the addresses?')) onClose();
          }}
        >
          <Fragment key={shown.updatedAt}>
            <TextField name="name" label="Name" defaultValue={shown.name} isRequired autoFocus />
            <TextField
              name="slug"
              label="Slug"
              description="Another slug is another address: whoever listens to the old ones is cut off."
              defaultValue={shown.slug}
              isRequired
              isCode
            />
            <TextField name="description" label="Description" defaultValue={shown.description ?? ''} />
          </Fragment>
        </Form>
      </Dialog>
      {question}
    </>
  );
};

const DeleteDialog = ({ app, isOpen, onClose }: AppDialogProps & { readonly isOpen: boolean }) => {
  const { api } = useProject();
  const readAgain = useReadAgain();
  const [, navigate] = useLocation();
  const { appId } = app;
  return (
    <ConfirmDialog
      title={`Delete ${app.name}?`}
      confirm="Delete the app"
      typed={app.slug}
      isOpen={isOpen}
      onClose={onClose}
      onConfirm={async () => {
        await answerOf(api.DELETE('/apps/{appId}', { params: { path: { appId } } }));
        navigate('/');
        await readAgain();
        toast(`${app.name} is deleted`);
      }}
    >
      <p>Its rooms, their grants and the messages on record go with it. Nobody can bring them back.</p>
      <ForetoldImpact change={{ method: 'DELETE', path: `/apps/${appId}` }} />
    </ConfirmDialog>
  );
};

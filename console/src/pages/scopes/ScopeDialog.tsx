import { answerOf } from '../../api/failure.js';
import type { Schemas } from '../../api/schemas.js';
import { useReadAgain } from '../../api/useReadAgain.js';
import { Dialog } from '../../components/Dialog.js';
import { TextField } from '../../components/fields.js';
import { Form } from '../../components/Form.js';
import type { FormValues } from '../../components/formValues.js';
import { toast } from '../../components/Toast.js';
import { useProject } from '../../session/console.js';

interface ScopeDialogProps {
  /** To change; undefined for a new one. */
  readonly scope: Schemas['Scope'] | undefined;
  readonly isOpen: boolean;
  readonly onClose: () => void;
}

export const ScopeDialog = ({ scope, isOpen, onClose }: ScopeDialogProps) => {
  const { api } = useProject();
  const readAgain = useReadAgain();

  const save = async (values: FormValues): Promise<void> => {
    const body = { name: values.text('name'), description: values.optional('description') ?? null };
    if (scope === undefined)
      await answerOf(api.POST('/scopes', { body: { ...body, slug: values.text('slug') } }));
    else {
      const params = { path: { scopeId: scope.accessScopeId } };
      await answerOf(api.PATCH('/scopes/{scopeId}', { params, body }));
    }
    await readAgain();
    onClose();
    toast(`${body.name} is ${scope === undefined ? 'made' : 'changed'}`);
  };

  return (
    <Dialog
      title={scope === undefined ? 'New scope' : `Edit ${scope.name}`}
      isOpen={isOpen}
      onClose={onClose}
    >
      <Form submit={scope === undefined ? 'Make the scope' : 'Save'} onCancel={onClose} onSubmit={save}>
        <TextField
          name="name"
          label="Name"
          defaultValue={scope?.name}
          isRequired
          autoFocus
          autoComplete="off"
        />
        {scope === undefined && (
          <TextField
            name="slug"
            label="Slug"
            description="A part of the addresses of its topics; it never changes."
            isRequired
            autoComplete="off"
            isCode
          />
        )}
        <TextField name="description" label="Description" defaultValue={scope?.description ?? ''} />
      </Form>
    </Dialog>
  );
};

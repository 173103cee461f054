import { answerOf } from '../../api/failure.js';
import { useSchemaHelp } from '../../api/schemaHelp.js';
import type { Schemas } from '../../api/schemas.js';
import { useReadAgain } from '../../api/useReadAgain.js';
import { Dialog } from '../../components/Dialog.js';
import { TextField } from '../../components/fields.js';
import { Form } from '../../components/Form.js';
import type { FormValues } from '../../components/formValues.js';
import { UntilField } from '../../components/UntilField.js';
import { useProject } from '../../session/console.js';
import { KeyNameField } from './KeyNameField.js';

type ApiKey = Schemas['ApiKey'];

interface NewApiKeyDialogProps {
  /** The key that is rotated: the new one opens what it opens. */
  readonly like: ApiKey | undefined;
  readonly isOpen: boolean;
  readonly onClose: () => void;
  /** Is given the secret. */
  readonly onMade: (apiKey: string) => void;
}

export const NewApiKeyDialog = ({ like, isOpen, onClose, onMade }: NewApiKeyDialogProps) => {
  const { sessionApi, organizationId: orgId, projectId } = useProject();
  const help = useSchemaHelp('NewApiKey');
  const readAgain = useReadAgain();

  const make = async (values: FormValues): Promise<void> => {
    const params = { path: { orgId, projectId } };
    const { apiKey } = await answerOf(
      sessionApi.POST('/organizations/{orgId}/projects/{projectId}/api-keys', {
        params,
        body: keyOf(values),
      }),
    );
    onMade(apiKey);
    onClose();
    await readAgain();
  };

  return (
    <Dialog
      title={like === undefined ? 'New API key' : `Rotate ${like.name}`}
      isOpen={isOpen}
      onClose={onClose}
    >
      <Form submit="Make the key" onCancel={onClose} onSubmit={make}>
        {like !== undefined && (
          <p className="muted">
            Both keys are valid at first. Give your backend the new one, look when the old one was last used,
            then revoke that.
          </p>
        )}
        <KeyNameField like={like} />
        <TextField
          name="permissions"
          label="Permissions"
          description={`${help('permissions') ?? ''} For example publish:write, rooms:read.`}
          defaultValue={like?.permissions?.join(', ')}
          autoComplete="off"
          isCode
        />
        <TextField
          name="allowedAddresses"
          label="Networks that it may be used from"
          description="For example 203.0.113.0/24, with commas between them; any without one."
          defaultValue={like?.allowedAddresses?.join(', ')}
          autoComplete="off"
          isCode
        />
        <UntilField />
      </Form>
    </Dialog>
  );
};

const keyOf = (values: FormValues): Schemas['NewApiKey'] => {
  const [permissions, addresses] = [values.list('permissions'), values.list('allowedAddresses')];
  return {
    name: values.text('name'),
    // The service says which of them it does not know.
    permissions: permissions.length === 0 ? null : (permissions as NonNullable<ApiKey['permissions']>),
    allowedAddresses: addresses.length === 0 ? null : addresses,
    expiresAt: values.time('expiresAt') ?? null,
  };
};

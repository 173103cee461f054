import { answerOf } from '../../api/failure.js';
import type { Schemas } from '../../api/schemas.js';
import { useReadAgain } from '../../api/useReadAgain.js';
import { Dialog } from '../../components/Dialog.js';
import { CheckboxField } from '../../components/fields.js';
import { Form } from '../../components/Form.js';
import { useProject } from '../../session/console.js';
import { KeyNameField } from './KeyNameField.js';

interface NewSigningKeyDialogProps {
  /** The key that is rotated: the new one is like it. */
  readonly like: Schemas['SigningKey'] | undefined;
  readonly isOpen: boolean;
  readonly onClose: () => void;
  /** Is given the secret. */
  readonly onMade: (signingKey: string) => void;
}

export const NewSigningKeyDialog = ({ like, isOpen, onClose, onMade }: NewSigningKeyDialogProps) => {
  const { api } = useProject();
  const readAgain = useReadAgain();
  const isSandbox = like?.keyId.startsWith('sk_sandbox_') ?? false;
  return (
    <Dialog
      title={like === undefined ? 'New signing key' : `Rotate ${like.name}`}
      isOpen={isOpen}
      onClose={onClose}
    >
      <Form
        submit="Make the key"
        onCancel={onClose}
        onSubmit={async (values) => {
          const body = {
            name: values.text('name'),
            environment: isSandbox ? ('sandbox' as const) : ('live' as const),
            allowExternalActors: values.flag('allowExternalActors'),
          };
          const { signingKey } = await answerOf(api.POST('/signing-keys', { body }));
          onMade(signingKey);
          onClose();
          await readAgain();
        }}
      >
        {like !== undefined && (
          <p className="muted">
            Both keys are valid at first. Let your backend sign with the new one, wait until the tokens of the
            old one are over, then disable that.
          </p>
        )}
        <KeyNameField like={like} />
        <CheckboxField
          name="allowExternalActors"
          label="Its tokens may name actors without a record"
          description="For users of your own: the subject is ext: and your name of the user."
          defaultSelected={like?.allowExternalActors ?? false}
        />
      </Form>
    </Dialog>
  );
};

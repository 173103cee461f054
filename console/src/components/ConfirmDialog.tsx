import type { ReactNode } from 'react';
import { TextField } from './fields.js';
import { Form } from './Form.js';
import { Dialog } from './Dialog.js';
import { problemAt } from '../api/failure.js';

interface ConfirmDialogProps {
  readonly title: string;
  /** What becomes of what. */
  readonly children?: ReactNode;
  /** The button: a verb. */
  readonly confirm: string;
  readonly isOpen: boolean;
  readonly onClose: () => void;
  /** Rejects with what the dialog then shows. */
  readonly onConfirm: () => Promise<unknown>;
  /** Has to be typed first, where much is lost. */
  readonly typed?: string;
}

export const ConfirmDialog = ({
  title,
  children,
  confirm,
  isOpen,
  onClose,
  onConfirm,
  typed,
}: ConfirmDialogProps) => (
  <Dialog title={title} isOpen={isOpen} onClose={onClose} isAlert>
    {children}
    <Form
      submit={confirm}
      look="danger"
      onCancel={onClose}
      onSubmit={async (values) => {
        if (typed !== undefined && values.text('typed') !== typed) throw problemAt('typed', `Type ${typed}`);
        await onConfirm();
        onClose();
      }}
    >
      {typed !== undefined && (
        <TextField name="typed" label={`Type ${typed} to confirm`} autoComplete="off" isRequired isCode />
      )}
    </Form>
  </Dialog>
);

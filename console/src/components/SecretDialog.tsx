import type { ReactNode } from 'react';
import { Button } from './Button.js';
import { Dialog } from './Dialog.js';
import { Secret } from './Secret.js';

interface SecretDialogProps {
  readonly title: string;
  readonly label: string;
  /** Undefined while there is none to show. */
  readonly value: string | undefined;
  readonly onClose: () => void;
  /** How it is used. */
  readonly children?: ReactNode;
}

/** Shows a secret that was just made, once. */
export const SecretDialog = ({ title, label, value, onClose, children }: SecretDialogProps) => (
  <Dialog title={title} isOpen={value !== undefined} onClose={onClose} isAlert>
    {value !== undefined && <Secret label={label} value={value} />}
    {children}
    <div className="form-actions">
      <Button look="primary" onPress={onClose}>
        I have copied it
      </Button>
    </div>
  </Dialog>
);

import type { ReactNode } from 'react';
import { X } from 'lucide-react';
import { Dialog as AriaDialog, Heading, Modal, ModalOverlay } from 'react-aria-components';
import { Button } from './Button.js';

interface DialogProps {
  readonly title: string;
  readonly isOpen: boolean;
  readonly onClose: () => void;
  readonly children: ReactNode;
  /** Asks before something is done that cannot be taken back. */
  readonly isAlert?: boolean;
}

/** Above the page, which waits; the keyboard stays in it and goes back to where it was. */
export const Dialog = ({ title, isOpen, onClose, children, isAlert = false }: DialogProps) => (
  <ModalOverlay
    className="dialog-backdrop"
    isOpen={isOpen}
    isDismissable={!isAlert}
    onOpenChange={(open) => !open && onClose()}
  >
    <Modal className="dialog">
      <AriaDialog role={isAlert ? 'alertdialog' : 'dialog'}>
        <div className="dialog-head">
          <Heading slot="title">{title}</Heading>
          <Button look="quiet" aria-label="Close" onPress={onClose}>
            <X aria-hidden size={16} />
          </Button>
        </div>
        {children}
      </AriaDialog>
    </Modal>
  </ModalOverlay>
);

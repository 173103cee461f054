import { X } from 'lucide-react';
import { createStore, useStore } from '../app/store.js';
import { Button } from './Button.js';

interface Toast {
  readonly id: number;
  readonly text: string;
}

const toasts = createStore<readonly Toast[]>([]);
const shownMs = 6_000;
let last = 0;

const dismiss = (id: number): void => toasts.set(toasts.get().filter((one) => one.id !== id));

/** Says that something is done, for a moment. What failed is said where it was asked for, and stays. */
export const toast = (text: string): void => {
  const id = (last += 1);
  toasts.set([...toasts.get(), { id, text }]);
  setTimeout(() => dismiss(id), shownMs);
};

export const ToastRegion = () => (
  <div className="toasts" role="status" aria-live="polite">
    {useStore(toasts).map(({ id, text }) => (
      <div key={id} className="toast">
        {text}
        <Button look="quiet" aria-label="Dismiss" onPress={() => dismiss(id)}>
          <X aria-hidden size={14} />
        </Button>
      </div>
    ))}
  </div>
);

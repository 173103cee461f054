import { Check, Copy } from 'lucide-react';
import { useState } from 'react';
import { Button } from './Button.js';
import { toast } from './Toast.js';

interface CopyButtonProps {
  readonly text: string;
  /** What is copied, for users of screen readers. */
  readonly what: string;
}

const shownMs = 2_000;

export const CopyButton = ({ text, what }: CopyButtonProps) => {
  const [isCopied, setCopied] = useState(false);
  const copy = async (): Promise<void> => {
    try {
      await navigator.clipboard.writeText(text);
      setCopied(true);
      setTimeout(() => setCopied(false), shownMs);
    } catch {
      // Browsers allow it on https and on this machine alone.
      toast('The browser does not let this page copy. Select the text instead.');
    }
  };
  return (
    <Button look="quiet" className="copy-button" aria-label={`Copy ${what}`} onPress={() => void copy()}>
      {isCopied ? <Check aria-hidden size={14} /> : <Copy aria-hidden size={14} />}
      <span role="status" className="visually-hidden">
        {isCopied ? 'Copied' : ''}
      </span>
    </Button>
  );
};

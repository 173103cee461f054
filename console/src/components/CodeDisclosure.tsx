import { useState } from 'react';
import { CodeSnippet, type Snippet } from './CodeSnippet.js';

interface CodeDisclosureProps {
  /** What the code does. */
  readonly label: string;
  readonly snippets: readonly Snippet[];
}

/** How a program does what the page just does; folded, since most do not need it. */
export const CodeDisclosure = ({ label, snippets }: CodeDisclosureProps) => {
  const [isOpen, setOpen] = useState(false);
  return (
    <details
      className="code-disclosure"
      open={isOpen}
      onToggle={({ currentTarget }) => setOpen(currentTarget.open)}
    >
      <summary>{label} from a program</summary>
      {isOpen && <CodeSnippet label={label} snippets={snippets} />}
    </details>
  );
};

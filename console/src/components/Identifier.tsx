import { CopyButton } from './CopyButton.js';

interface IdentifierProps {
  readonly value: string;
  /** What it is: `app id`. */
  readonly what: string;
  /** Shows the beginning alone, as in tables. */
  readonly isShort?: boolean;
}

/** An id, an address or a key id, to read and to copy. */
export const Identifier = ({ value, what, isShort = false }: IdentifierProps) => (
  <span className="identifier">
    <code title={value}>{isShort && value.length > 12 ? `${value.slice(0, 8)}…` : value}</code>
    <CopyButton text={value} what={what} />
  </span>
);

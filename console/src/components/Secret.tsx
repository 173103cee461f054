import { CopyButton } from './CopyButton.js';

interface SecretProps {
  readonly label: string;
  readonly value: string;
}

/** A secret that the service shows once. It is in the memory of the page alone, until this is closed. */
export const Secret = ({ label, value }: SecretProps) => (
  <div className="secret" role="group" aria-label={label}>
    <p className="field-label">{label}</p>
    <div className="secret-value">
      <code>{value}</code>
      <CopyButton text={value} what={label} />
    </div>
    <p className="field-description">Copy it now: nobody can read it again, and neither can the service.</p>
  </div>
);

import { visibleJson } from './dataText.js';

/** A value as JSON, to read. */
export const Json = ({ value, label }: { readonly value: unknown; readonly label: string }) => (
  <pre className="json" tabIndex={0} role="group" aria-label={label}>
    <code>{visibleJson(value, 2)}</code>
  </pre>
);

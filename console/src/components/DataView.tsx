import { useState } from 'react';
import { Button } from './Button.js';
import { CopyButton } from './CopyButton.js';
import { hexDump, jsonText, kindOf, previewOf, scalarText, sizeText, visible } from './dataText.js';

interface DataViewProps {
  readonly value: unknown;
  /** What it is, for who copies it: `the message`. */
  readonly what: string;
}

/** Anything that was published or sent: folded where it is deep, bytes in hex. */
export const DataView = ({ value, what }: DataViewProps) => (
  <div className="data-view">
    <div className="data-view-body code" tabIndex={0} role="group" aria-label={what}>
      <Value value={value} depth={0} />
    </div>
    <CopyButton text={jsonText(value)} what={`${what} as JSON`} />
  </div>
);

interface ValueProps {
  readonly value: unknown;
  readonly depth: number;
  readonly name?: string;
}

const Value = ({ value, depth, name }: ValueProps) => {
  const label = name === undefined ? null : <span className="data-name">{visible(name)}: </span>;
  if (value instanceof Uint8Array)
    return (
      <div>
        {label}
        <span className="muted">{sizeText(value.length)}</span>
        {value.length > 0 && <pre className="hex-dump">{hexDump(value)}</pre>}
      </div>
    );
  if (kindOf(value) === 'container') return <Container value={value as object} depth={depth} name={name} />;
  return (
    <div>
      {label}
      <span className={`data-${value === null ? 'null' : typeof value}`}>{scalarText(value)}</span>
    </div>
  );
};

/** Unfolded so deep, and only where it is not long. */
const [unfoldedDepth, unfoldedEntries, entriesAtOnce] = [2, 40, 100];

interface ContainerProps {
  readonly value: object;
  readonly depth: number;
  readonly name: string | undefined;
}

const Container = ({ value, depth, name }: ContainerProps) => {
  const entries: readonly (readonly [string, unknown])[] = Object.entries(value);
  const [isOpen, setOpen] = useState(depth < unfoldedDepth && entries.length <= unfoldedEntries);
  const [shown, setShown] = useState(entriesAtOnce);
  const isList = Array.isArray(value);
  const count = `${entries.length} ${entries.length === 1 ? (isList ? 'entry' : 'field') : isList ? 'entries' : 'fields'}`;
  if (entries.length === 0)
    return (
      <div>
        {name !== undefined && <span className="data-name">{visible(name)}: </span>}
        {isList ? '[]' : '{}'}
      </div>
    );
  return (
    <details open={isOpen} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>
        {name !== undefined && <span className="data-name">{visible(name)}: </span>}
        <span className="muted">{isOpen ? count : previewOf(value)}</span>
      </summary>
      {isOpen && (
        <div className="data-entries">
          {entries.slice(0, shown).map(([key, entry]) => (
            <Value key={key} value={entry} depth={depth + 1} name={key} />
          ))}
          {entries.length > shown && (
            <Button look="quiet" onPress={() => setShown(shown + entriesAtOnce)}>
              Show {Math.min(entriesAtOnce, entries.length - shown)} more
            </Button>
          )}
        </div>
      )}
    </details>
  );
};

import type { components } from '@roomwire/server';
import { ChangeLine } from '../../components/ChangeLine.js';
import type { Column } from '../../components/DataTable.js';
import { visibleJson } from '../../components/dataText.js';
import { EmptyState } from '../../components/EmptyState.js';
import { PlainTable } from '../../components/PlainTable.js';

type Difference = components['schemas']['Difference'];

/** What has changed, field by field, with both values side by side. */
export const Differences = ({ differences }: { readonly differences: readonly Difference[] }) => (
  <PlainTable
    label="Differences"
    columns={columns}
    keyOf={({ path }) => path}
    rows={differences}
    empty={<EmptyState title="No difference">The record was the same at both times.</EmptyState>}
  />
);

const columns: readonly Column<Difference>[] = [
  { title: 'Field', cell: ({ path }) => <code className="difference-field">{fieldOf(path)}</code> },
  { title: 'Before', cell: ({ before }) => <Value value={before} kind="before" /> },
  { title: 'After', cell: ({ after }) => <Value value={after} kind="after" /> },
  { title: 'Changed by', cell: ({ change }) => <ChangeLine change={change} /> },
];

const Value = ({ value, kind }: { readonly value: unknown; readonly kind: 'before' | 'after' }) =>
  value === undefined ? (
    <span className="muted">none</span>
  ) : (
    <code className={`difference ${kind}`}>{visibleJson(value, 1)}</code>
  );

/** A JSON Pointer as people write it: `config.accessMode`. */
const fieldOf = (pointer: string): string =>
  pointer
    .split('/')
    .slice(1)
    .map((segment) => segment.replaceAll('~1', '/').replaceAll('~0', '~'))
    .join('.') || 'the whole record';

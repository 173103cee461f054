import { withoutSecrets } from '@roomwire/command-api/audit/recordStates';
import type { RecordedEvent } from '@roomwire/shared/domain/eventEnvelope';

export const exportFormats = ['jsonl', 'csv'] as const;
export type ExportFormat = (typeof exportFormats)[number];

/** How an export is written. The chain is over each line as it stands there, without its hash. */
export interface ExportLayout {
  /** Stands before everything, outside of the chain. */
  readonly heading: string | undefined;
  readonly lineOf: (event: RecordedEvent) => string;
  readonly withChain: (line: string, chain: string) => string;
  /** Undefined for text that does not end with a hash, as a part of a line does. */
  readonly splitChain: (text: string) => { readonly line: string; readonly chain: string } | undefined;
}

const jsonLines: ExportLayout = {
  heading: undefined,
  lineOf: ({ data, ...event }) => JSON.stringify({ ...event, data: shown(data) }),
  withChain: (line, chain) => `${line.slice(0, -1)},"chain":"${chain}"}`,
  splitChain: (text) => {
    const [, line, chain] = /^(.*),"chain":"([0-9a-f]{64})"\}$/s.exec(text) ?? [];
    return line === undefined || chain === undefined ? undefined : { line: `${line}}`, chain };
  },
};

const columns = [
  ...['position', 'occurredAt', 'type', 'organizationId', 'projectId', 'principal', 'requestId', 'stream'],
  ...['revision', 'id', 'schemaVersion', 'data'],
];

const csv: ExportLayout = {
  heading: [...columns, 'chain'].join(','),
  lineOf: ({ position, type, metadata, stream, revision, id, schemaVersion, data }) =>
    [
      ...[position, metadata.occurredAt, type, metadata.organizationId, metadata.projectId ?? ''],
      ...[metadata.principal, metadata.requestId, stream, revision, id, schemaVersion],
      JSON.stringify(shown(data)),
    ]
      .map(cell)
      .join(','),
  withChain: (line, chain) => `${line},${chain}`,
  splitChain: (text) => {
    const [, line, chain] = /^(.*),([0-9a-f]{64})$/s.exec(text) ?? [];
    return line === undefined || chain === undefined ? undefined : { line, chain };
  },
};

/** A spreadsheet takes what begins like this for a formula, and a caller chooses its request ids. */
const formula = /^[=+\-@\t\r]/;

const cell = (value: string | number): string => {
  const text = String(value);
  const harmless = formula.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
};

const shown = (data: unknown): unknown =>
  typeof data === 'object' && data !== null ? withoutSecrets(data) : data;

export const exportLayouts: { readonly [F in ExportFormat]: ExportLayout } = { jsonl: jsonLines, csv };

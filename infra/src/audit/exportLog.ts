import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createReadStream } from 'node:fs';
import type { Writable } from 'node:stream';
import { withoutSecrets } from '@roomwire/command-api/audit/recordStates';
import { shown } from '@roomwire/command-api/audit/shown';
import { upTo, type OnProgress } from './upTo.js';
import type { HashData } from '@roomwire/shared/credentials/eventProof';
import type { RecordedEvent } from '@roomwire/shared/domain/eventEnvelope';
import type { EventLog } from '@roomwire/shared/ports/eventLog';

export const exportFormats = ['jsonl', 'csv'] as const;
export type ExportFormat = (typeof exportFormats)[number];

/** What an export says of an event's data. */
type ShowData = (data: object) => unknown;

export interface LineOptions {
  readonly show?: ShowData;
  /** Adds hashes of data that is withheld, in JSON lines. */
  readonly hashOf?: HashData | undefined;
}

/** How an export is written. The chain is over each line as it stands there, without its hash. */
export interface ExportLayout {
  /** Stands before everything, outside of the chain. */
  readonly heading: string | undefined;
  readonly lineOf: (event: RecordedEvent, options?: LineOptions) => string;
  readonly withChain: (line: string, chain: string) => string;
  /** Undefined for text that does not end with a hash, as a part of a line does. */
  readonly splitChain: (text: string) => { readonly line: string; readonly chain: string } | undefined;
}

const jsonLines: ExportLayout = {
  heading: undefined,
  lineOf: ({ data, ...event }, { show = shown, hashOf } = {}) => {
    const told = isObject(data) ? show(data) : data;
    const isWhole = hashOf === undefined || JSON.stringify(told) === JSON.stringify(data);
    return JSON.stringify({
      ...event,
      data: told,
      dataHash: isWhole ? undefined : hashOf({ ...event, data }),
    });
  },
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
  lineOf: ({ position, type, metadata, stream, revision, id, schemaVersion, data }, { show = shown } = {}) =>
    [
      ...[position, metadata.occurredAt, type, metadata.organizationId, metadata.projectId ?? ''],
      ...[metadata.principal, metadata.requestId, stream, revision, id, schemaVersion],
      JSON.stringify(isObject(data) ? show(data) : data),
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

const isObject = (data: unknown): data is object => typeof data === 'object' && data !== null;

export const exportLayouts: { readonly [F in ExportFormat]: ExportLayout } = { jsonl: jsonLines, csv };

/** Before the first line. */
export const chainStart = '0'.repeat(64);

/** Hex SHA-256 of the chain so far and a line: a line that is changed, removed or added breaks it from there on. */
export const chained = (chain: string, line: string): string =>
  createHash('sha256').update(chain).update('\n').update(line).digest('hex');

export interface ExportReport {
  readonly events: number;
  /** Of the last line. Kept elsewhere, it reveals a file that was rewritten as a whole. */
  readonly chain: string;
}

export interface ExportOptions {
  readonly onProgress?: OnProgress;
  readonly hashOf?: HashData | undefined;
}

/** Writes the whole log as it is now, in its order. In memory there is never more than a batch of it. */
export const exportLog = async (
  log: EventLog,
  format: ExportFormat,
  out: Writable,
  { onProgress = () => undefined, hashOf }: ExportOptions = {},
): Promise<ExportReport> => {
  const { heading, lineOf, withChain } = exportLayouts[format];
  const head = await log.head();
  let chain = chainStart;
  let events = 0;
  const write = async (text: string): Promise<void> => {
    if (text !== '' && !out.write(text)) await once(out, 'drain');
  };
  await write(heading === undefined ? '' : `${heading}\n`);
  for await (const batch of upTo(log, head)) {
    const lines = batch.map((event) => {
      const line = lineOf(event, { hashOf });
      chain = chained(chain, line);
      return `${withChain(line, chain)}\n`;
    });
    await write(lines.join(''));
    events += batch.length;
    onProgress(events, batch.at(-1)?.position ?? '');
  }
  return { events, chain };
};

export interface ExportVerdict {
  readonly events: number;
  /** Of the last line that was checked. */
  readonly chain: string;
  /** What is wrong, and where; undefined for an export that is whole and says what the log says. */
  readonly fault: string | undefined;
}

/** What the lines of an export are compared with, each after its hash has been checked. */
export interface ExportComparison {
  /** What is wrong with a line; undefined for one that is as it should be. */
  line(line: string, lineNumber: number, layout: ExportLayout): Promise<string | undefined>;
}

/** Line by line, that the log says the same. */
export const comparedWithLog = (log: EventLog, hashOf?: HashData): ExportComparison => {
  const logged = eventsOf(log);
  return {
    async line(line, lineNumber, layout) {
      const next = await logged.next();
      if (next.done === true) return `line ${lineNumber} is not in the log`;
      const isSaid = said(layout, next.value, hashOf).includes(line);
      return isSaid ? undefined : `line ${lineNumber} is not what the log says`;
    },
  };
};

/** Checks the chain of an export and compares its lines. Stops at the first fault. */
export const verifyExport = async (file: string, comparison: ExportComparison): Promise<ExportVerdict> => {
  let layout: ExportLayout | undefined;
  let [chain, events, pending, lineNumber] = [chainStart, 0, '', 0];
  const verdict = (fault?: string): ExportVerdict => ({ events, chain, fault });

  for await (const text of linesOf(file)) {
    lineNumber += 1;
    if (layout === undefined) {
      layout = text === exportLayouts.csv.heading ? exportLayouts.csv : exportLayouts.jsonl;
      if (layout.heading !== undefined) continue;
    }
    // A cell may hold line breaks, and a hash ends every line.
    pending = pending === '' ? text : `${pending}\n${text}`;
    const split = layout.splitChain(pending);
    if (split === undefined && layout.heading !== undefined) continue;
    if (split === undefined) return verdict(`line ${lineNumber} has no hash`);
    if (chained(chain, split.line) !== split.chain)
      return verdict(`the chain is broken at line ${lineNumber}`);
    const fault = await comparison.line(split.line, lineNumber, layout);
    if (fault !== undefined) return verdict(fault);
    [chain, pending] = [split.chain, ''];
    events += 1;
  }
  return verdict(pending === '' ? undefined : 'the last line is cut off');
};

/** Exports of earlier versions show webhooks with the values of their headers, and those that were made without a key have no hashes. */
const said = (
  { lineOf }: ExportLayout,
  event: RecordedEvent,
  hashOf: HashData | undefined,
): readonly string[] => [lineOf(event, { hashOf }), lineOf(event), lineOf(event, { show: withoutSecrets })];

async function* eventsOf(log: EventLog): AsyncGenerator<RecordedEvent> {
  for await (const batch of log.readAll()) yield* batch;
}

/** At line feeds alone: Node's own readline also ends a line at characters that a name may hold. */
export async function* linesOf(file: string): AsyncGenerator<string> {
  let rest = '';
  for await (const chunk of createReadStream(file, { encoding: 'utf8', highWaterMark: 1024 * 1024 })) {
    const lines = (rest + (chunk as string)).split('\n');
    rest = lines.pop() ?? '';
    yield* lines;
  }
  if (rest !== '') yield rest;
}

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { limitTable, type LimitName } from '@roomwire/shared/wire/limits/limitTable';
import { metricTable } from '@roomwire/shared/wire/metrics/metricTable';
import { authErrors, closes, protocolErrors } from '@roomwire/shared/wire/protocol/protocolErrors';
import { readConfig } from '../../src/config/config.js';
import { documentRows } from '../support/documents.js';

const root = new URL('../../../../', import.meta.url);

const mebibyte = 1024 * 1024;

/** As people write it: 64 MiB, 60 s, 20,000. */
const shown = ({ value, unit }: (typeof limitTable)[LimitName]): string => {
  const number = (one: number): string => one.toLocaleString('en');
  switch (unit) {
    case 'bytes':
      if (value % mebibyte === 0) return `${number(value / mebibyte)} MiB`;
      return value % 1024 === 0 ? `${number(value / 1024)} KiB` : `${number(value)} bytes`;
    case 'ms':
      return value % 3_600_000 === 0 ? `${value / 3_600_000} h` : `${number(value / 1_000)} s`;
    case 'number':
      return number(value);
    case 'per second':
      return `${number(value)} a second`;
    default:
      return `${number(value)} ${unit}`;
  }
};

/** What a variable gets when it is set to this number of its own unit. */
const unitOf = (variable: string): number =>
  variable.endsWith('_MIB') ? mebibyte : variable.endsWith('_SECONDS') ? 1_000 : 1;

const limits = Object.entries(limitTable) as [LimitName, (typeof limitTable)[LimitName]][];

const variableOf = (row: (typeof limitTable)[LimitName]): string | undefined =>
  'variable' in row ? row.variable : undefined;

/** Every number of the configuration, however deep. */
const numbersOf = (config: object): readonly number[] =>
  Object.values(config).flatMap((value: unknown) =>
    typeof value === 'number' ? [value] : value && typeof value === 'object' ? numbersOf(value) : [],
  );

describe('docs/LIMITS.md', () => {
  it('lists every limit with its default, variable, answer and metric, and what it protects', () => {
    const declared = limits.map(([name, row]) => [
      `\`${name}\``,
      shown(row),
      row.per,
      variableOf(row) === undefined ? '' : `\`${variableOf(row)}\``,
      row.answer.replace(/^none: /, '').replace(/^(error|auth|close \d+|HTTP \d+:?) (.+)$/, '$1 `$2`'),
      `\`${row.metric}\``,
      row.protects,
    ]);
    expect(documentRows('docs/LIMITS.md')).to.deep.equal(declared);
  });
});

describe('the table of limits', () => {
  it('names errors, closes and metrics that there are', () => {
    const errors = new Set<string>(Object.values(protocolErrors).map(({ error }) => error));
    // 1008 and 1009 without a reason are those of the WebSocket layer.
    const known = new Set(Object.values(closes).map(({ code, reason }) => `${code} ${reason}`));
    for (const [name, { answer, metric }] of limits) {
      const [, kind = '', text = ''] = /^(error|auth|close|HTTP|none:) (.+)$/.exec(answer) ?? [];
      expect(kind, `${name}: ${answer}`).to.not.equal('');
      if (kind === 'error') expect([...errors], name).to.include(text);
      if (kind === 'auth') expect(authErrors, name).to.include(text);
      if (kind === 'close' && text.includes(' ')) expect([...known], name).to.include(text);
      if (kind === 'close' && !text.includes(' ')) expect(['1008', '1009'], name).to.include(text);
      if (kind === 'HTTP') expect(text, name).to.match(/^(?:400|401|403|413|429|503)(?::|$)/);
      expect(metricTable, name).to.have.property(metric);
    }
  });

  it('has the defaults of the configuration, which its variables change', () => {
    const defaults = readConfig({});
    for (const [name, row] of limits) {
      const variable = variableOf(row);
      if (variable === undefined) continue;
      const value = row.value / (row.unit === 'days' ? 1 : unitOf(variable));
      const asDefault = readConfig({ [variable]: String(value) });
      expect(numbersOf(asDefault), `${name} by ${variable}`).to.deep.equal(numbersOf(defaults));
      // No other number of the configuration changes with it.
      const other = numbersOf(readConfig({ [variable]: String(value + 1) }));
      const changed = numbersOf(defaults).filter((number, at) => number !== other[at]);
      expect(changed, `${name} by ${variable}`).to.have.length(1);
    }
  });

  it('is where the code takes its bounds from', () => {
    const used = services.flatMap((name) => sourcesOf(join(path, name, 'src'))).join('\n');
    for (const [name] of limits) expect(used, name).to.match(new RegExp(`\\b${name}\\b`));
  });
});

const path = fileURLToPath(root);
const services = ['shared', 'command-api', 'projections', 'gateway', 'webhook-consumer', 'infra'];

/** The text of each file but the table itself. */
const sourcesOf = (folder: string): readonly string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && !file.endsWith('limitTable.ts'))
    .map((file) => readFileSync(join(folder, file), 'utf8'));

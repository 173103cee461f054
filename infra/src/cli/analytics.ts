import { join } from 'node:path';
import { InvalidArgumentError, type Command } from 'commander';
import { createWinstonLogger } from '@roomwire/shared/adapters/system/winstonLogger';
import { dimensionNames, type Dimension } from '@roomwire/analytics/report/questions';
import type { Report, Span } from '@roomwire/analytics/report/report';
import { ConfigError, readConfig, type Config } from '../config/config.js';
import { exitCodes, fail } from './fail.js';
import { serve } from './serve.js';

export const addAnalytics = (program: Command): void => {
  const analytics = program
    .command('analytics')
    .description('record messages and webhook calls for reports, and print the reports');
  analytics
    .command('run')
    .description('follow the streams and write them to Parquet files; any number of processes share the work')
    .option('--flush-seconds <seconds>', 'the longest delay before a record is written', wholeNumber, 60)
    .action(runUntilSignal);
  analytics
    .command('report')
    .description('print a report on the recorded files, and draw charts')
    .option('--from <time>', 'ISO 8601, inclusive', moment)
    .option('--to <time>', 'ISO 8601, exclusive', moment)
    .option('--project <id>', 'only one project')
    .option('--app <slug>', 'only one app')
    .option(
      '--by <what>',
      `messages by any of ${dimensionNames.join(', ')}, separated by commas, instead of the standard report`,
      dimensions,
    )
    .option('--top <number>', 'the length of each list', wholeNumber, 10)
    .option('--json', 'print JSON')
    .option('--charts <folder>', 'folder for the charts; by default charts/ beside the files')
    .option('--no-charts', 'do not draw charts')
    .action(report);
};

const wholeNumber = (text: string): number => {
  if (!/^[1-9]\d{0,6}$/.test(text)) throw new InvalidArgumentError('A whole number is expected.');
  return Number(text);
};

const moment = (text: string): number => {
  const time = Date.parse(text);
  if (Number.isNaN(time)) throw new InvalidArgumentError('A time such as 2026-01-31T12:00:00Z is expected.');
  return time;
};

const dimensions = (text: string): readonly Dimension[] => {
  const names = text.split(',').map((name) => name.trim());
  if (!names.every(isDimension))
    throw new InvalidArgumentError(`Any of ${dimensionNames.join(', ')}, separated by commas, is expected.`);
  return names;
};

const isDimension = (name: string): name is Dimension => (dimensionNames as readonly string[]).includes(name);

const runUntilSignal = async ({ flushSeconds }: { readonly flushSeconds: number }): Promise<void> => {
  const { startAnalytics } = await import('../services/analytics.js');
  let dir = '';
  const { baseUrl } = await serve((config, logger) => {
    dir = config.analyticsDir;
    return startAnalytics(config, logger, { limits: { waitMs: flushSeconds * 1_000 }, failed: fail });
  });
  const health = baseUrl === undefined ? '' : `, its health is at ${baseUrl}/readyz`;
  process.stdout.write(`Roomwire analytics is running; its files are in ${dir}${health}\n`);
};

interface ReportOptions extends Span {
  readonly by?: readonly Dimension[];
  readonly top: number;
  readonly json?: true;
  /** A folder, or whether there are to be any. */
  readonly charts: string | boolean;
}

const report = async (options: ReportOptions): Promise<void> => {
  try {
    const config = readConfig(process.env);
    const { reportOf } = await import('../services/analytics.js');
    const { formatReport, reportAsJson } = await import('@roomwire/analytics/report/formatReport');
    const made = await reportOf(config, createWinstonLogger(config.logLevel), options);
    process.stdout.write(options.json ? reportAsJson(made) : formatReport(made));
    if (options.by === undefined) await draw(made, config, options);
  } catch (error) {
    if (error instanceof ConfigError) return fail(error.message, exitCodes.misused);
    fail(`The report failed: ${(error as Error).message}`);
  }
};

const draw = async (
  made: Report,
  { analyticsDir }: Config,
  { charts, json }: ReportOptions,
): Promise<void> => {
  if (charts === false || (json && charts === true)) return;
  const { writeCharts } = await import('@roomwire/analytics/report/charts');
  const folder = typeof charts === 'string' ? charts : join(analyticsDir, 'charts');
  await writeCharts(folder, made);
  if (!json) process.stdout.write(`\nCharts are in ${folder}\n`);
};

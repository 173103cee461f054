import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Logger } from '@roomwire/shared/ports/logger';
import { ConfigError, type Config } from '../config/config.js';
import { analyticsStreams } from './analyticsStreams.js';
import { ask, type Report, type Span } from './report/ask.js';
import { questionBy, standardQuestions, type Dimension } from './report/questions.js';
import { gatherJournal } from './runAnalytics.js';
import { openDuckDb } from './store/duckDb.js';

export interface ReportRequest extends Span {
  /** Instead of all that a report tells otherwise. */
  readonly by?: readonly Dimension[];
  readonly top: number;
}

const reportMemoryMb = 1_024;

/**
 * Answers from the files; where a service on files keeps a journal, what it has put down since is brought into them first.
 * Rejects with `ConfigError` where there is neither.
 */
export const makeReport = async (config: Config, logger: Logger, request: ReportRequest): Promise<Report> => {
  const { analyticsDir, dataDir, engines } = config;
  if (engines.bus.onFiles && existsSync(join(dataDir, 'analytics.lmdb'))) await gatherJournal(config, logger);
  if (!existsSync(analyticsDir)) throw new ConfigError([nothingKept(config)]);
  const spillFolder = join(analyticsDir, '.spill');
  const duckDb = await openDuckDb({ memoryMb: reportMemoryMb, spillFolder });
  try {
    const questions = request.by ? [questionBy(request.by)] : standardQuestions(request.top);
    return await ask(duckDb, analyticsStreams(analyticsDir, false), questions, request);
  } finally {
    duckDb.close();
  }
};

const nothingKept = ({ analyticsDir, engines }: Config): string =>
  engines.bus.onFiles
    ? `nothing is kept yet in ${analyticsDir}: start Roomwire with ROOMWIRE_ANALYTICS=true`
    : `nothing is kept yet in ${analyticsDir}: run \`roomwire analytics run\``;

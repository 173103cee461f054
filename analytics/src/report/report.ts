import { byPartition, coverageOf, type CountedFile } from '../store/coverage.js';
import { type DuckDb, type Row, openDuckDb } from '../store/duckDb.js';
import { quoted, selectOf } from '../store/factFiles.js';
import { analyticsStreams, spillFolderOf, type StreamFiles } from '../analytics.js';
import { placeColumns } from '../facts/factStream.js';
import { type Question, questionBy, standardQuestions, type Dimension } from './questions.js';

/** Selects the facts of a report; all by default. Times are milliseconds since 1970. */
export interface Span {
  readonly project?: string | undefined;
  /** Slug. Webhooks know only the app's id, and are left out with it. */
  readonly app?: string | undefined;
  /** Inclusive. */
  readonly from?: number | undefined;
  /** Exclusive. */
  readonly to?: number | undefined;
}

export interface Answer {
  readonly question: Question;
  readonly rows: readonly Row[];
}

export interface Report {
  readonly answers: readonly Answer[];
  /** Records of each stream that were deleted before they were read. */
  readonly missing: Readonly<Record<string, number>>;
}

const attempts = 3;

/** Answers questions from the files as they are. Others may write meanwhile, and merge some files into others: then it begins again. */
export const ask = async (
  duckDb: DuckDb,
  streams: readonly StreamFiles[],
  questions: readonly Question[],
  span: Span,
): Promise<Report> => {
  for (let attempt = 1; ; attempt += 1) {
    const missing: Record<string, number> = {};
    try {
      for (const files of streams) missing[files.stream.name] = await createView(duckDb, files, span);
      const answers: Answer[] = [];
      for (const question of questions) answers.push({ question, rows: await duckDb.rows(question.sql) });
      return { answers, missing };
    } catch (error) {
      if (attempt === attempts || !/no such file|No files found/i.test(String(error))) throw error;
    }
  }
};

/** The facts of a stream in the span, as a view of its name. Resolves with the number of records that are missing. */
const createView = async (duckDb: DuckDb, { stream, folder }: StreamFiles, span: Span): Promise<number> => {
  const counted: CountedFile[] = [];
  let missing = 0;
  for (const files of byPartition(await folder.files()).values()) {
    const coverage = coverageOf(files);
    counted.push(...coverage.counted);
    missing += coverage.missing;
  }
  const columns = [...placeColumns, ...stream.columns];
  const nothing = columns.map(({ name, type }) => `NULL::${type} AS ${quoted(name)}`).join(', ');
  const facts = counted.length === 0 ? `SELECT ${nothing} WHERE false` : selectOf(folder, counted);
  const knowsApp = stream.columns.some(({ name }) => name === 'app');
  await duckDb.connection.run(
    `CREATE OR REPLACE TEMP VIEW ${quoted(stream.name)} AS SELECT * FROM (${facts}) WHERE ${conditionOf(span, knowsApp)}`,
  );
  return missing;
};

/** Views take no parameters, so external values are quoted. */
const conditionOf = ({ project, app, from, to }: Span, knowsApp: boolean): string =>
  [
    'true',
    ...(project === undefined ? [] : [`project_id = ${quoted(project, "'")}`]),
    ...(app === undefined ? [] : [knowsApp ? `app = ${quoted(app, "'")}` : 'false']),
    ...(from === undefined ? [] : [`time >= epoch_ms(${from}::BIGINT)`]),
    ...(to === undefined ? [] : [`time < epoch_ms(${to}::BIGINT)`]),
  ].join(' AND ');

export interface ReportRequest extends Span {
  /** Instead of all that a report tells otherwise. */
  readonly by?: readonly Dimension[];
  readonly top: number;
}

const reportMemoryMb = 1_024;

/** Answers from the files in a folder. */
export const makeReport = async (folder: string, request: ReportRequest): Promise<Report> => {
  const duckDb = await openDuckDb({ memoryMb: reportMemoryMb, spillFolder: spillFolderOf(folder) });
  try {
    const questions = request.by ? [questionBy(request.by)] : standardQuestions(request.top);
    return await ask(duckDb, analyticsStreams(folder, false), questions, request);
  } finally {
    duckDb.close();
  }
};

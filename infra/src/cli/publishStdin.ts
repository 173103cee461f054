import { randomBytes } from 'node:crypto';
import { createInterface } from 'node:readline';
import { BatchSender } from '../publishing/batchSender.js';
import { PublishRefused } from '../publishing/publishApi.js';
import { publishLines, type Tally } from '../publishing/publishLines.js';
import { publishApiOrExit, type ApiOptions } from './apiOptions.js';
import { exitCodes, fail, say } from './fail.js';

export interface StdinOptions extends ApiOptions {
  /** Before the number of the line, in the ids; random by default. */
  readonly id?: string;
}

/** About three minutes of a service that does not answer. */
const attempts = 10;
/** So that the number of a line fits behind it. */
const longestPrefix = 100;

/** Publishes the lines of standard input: see docs/INGEST.md. Exits with 1 when one of them was not published. */
export const publishStdin = async (topic: string | undefined, options: StdinOptions): Promise<void> => {
  const { id: idPrefix = randomBytes(12).toString('hex') } = options;
  if (idPrefix.length > longestPrefix)
    fail(`--id must have at most ${longestPrefix} characters with --stdin`, exitCodes.misused);
  const { signal } = new AbortController();
  const api = publishApiOrExit(options);
  const sender = new BatchSender({ api, signal, attempts, onTrouble: say });
  const tally: Tally = { published: 0, duplicates: 0, failed: 0 };
  const lines = createInterface({ input: process.stdin, crlfDelay: Infinity });
  const onFailed = (line: number, why: string): void => say(`line ${line}: ${why}`);
  try {
    await publishLines(lines, { topic, idPrefix, sender, onFailed }, tally);
  } catch (error) {
    if (!(error instanceof PublishRefused)) throw error;
    say(summaryOf(tally));
    fail(error.message);
  }
  say(summaryOf(tally));
  if (tally.failed > 0) process.exitCode = exitCodes.failed;
};

const summaryOf = ({ published, duplicates, failed }: Tally): string =>
  `${published} published${duplicates > 0 ? ` (${duplicates} of them before)` : ''}, ${failed} failed`;

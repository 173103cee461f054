import { randomInt } from 'node:crypto';
import { UsageError } from '../options.js';
import { killChildren, stopChildren } from '../process/children.js';
import { makeWorkFolder, type WorkFolder } from '../process/workFolder.js';
import { soakCluster } from './cluster/soakCluster.js';
import { readSoakOptions, type SoakOptions, soakUsage } from './options.js';
import { clusterReportText, reportText } from './report.js';
import { soak } from './soak.js';

/** Exit code 0: nothing went wrong; 1: something did, or the run could not be made; 2: the command line. */
const main = async (): Promise<void> => {
  const options = optionsOrExit();
  const folder = makeWorkFolder(options.folder);
  process.once('exit', () => {
    killChildren();
    folder.remove();
  });
  const stop = (): void => void stopChildren().finally(() => process.exit(130));
  process.once('SIGINT', stop);
  process.once('SIGTERM', stop);

  const { failures, report } = options.cluster
    ? await ofCluster(options, folder)
    : await ofOneService(options, folder);
  process.stdout.write(report);
  process.exit(failures.length === 0 ? 0 : 1);
};

interface Result {
  readonly failures: readonly string[];
  readonly report: string;
}

const ofOneService = async (options: SoakOptions, folder: WorkFolder): Promise<Result> => {
  const outcome = await soak(options, await folder.inside('soak'), say);
  return { failures: outcome.failures, report: reportText(options, outcome) };
};

const ofCluster = async (options: SoakOptions, folder: WorkFolder): Promise<Result> => {
  const outcome = await soakCluster(options, folder, say);
  return { failures: outcome.failures, report: clusterReportText(options, outcome) };
};

const optionsOrExit = (): SoakOptions => {
  try {
    const options = readSoakOptions(process.argv.slice(2), randomInt(2 ** 32));
    if (options !== undefined) return options;
    process.stdout.write(soakUsage);
    process.exit(0);
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    process.stderr.write(`${error.message}\n\n${soakUsage}`);
    process.exit(2);
  }
};

/** Progress goes where it does not get into a file with the report. */
const say = (progress: string): void => void process.stderr.write(`${progress}\n`);

await main();

import type { EventLog, LogPosition } from '@roomwire/shared/ports/eventLog';
import { ConfigError, readConfig, type Config } from '../config/config.js';
import type { Environment } from '../environment.js';
import { requireSecrets } from '../services/service.js';
import type { Engine, ReadModelInspection } from '../engines/engine.js';
import { usesDataFolder } from '../engines/engines.js';
import { failure, ok, type Finding } from '../engines/finding.js';
import { checkFolder } from './folderChecks.js';
import { judgeLag, judgeRefusal } from './rules.js';
import { checkOpenFiles, checkPort } from './processChecks.js';
import { provenanceOf } from '@roomwire/shared/runtime/provenance';
import { withTimeout } from '@roomwire/shared/runtime/waiting';

/** The time limit of each check. */
const patienceMs = 20_000;

/** Looks at everything that the configuration names, and changes nothing, whether Roomwire runs or not. */
export const examine = async (environment: Environment, now: () => number): Promise<readonly Finding[]> => {
  const { config, problems } = configuration(environment);
  if (config === undefined) return problems;
  const { eventLog, readModels, bus } = config.engines;
  const folder = usesDataFolder(config.engines)
    ? await checkFolder(config, now())
    : { findings: [], owner: undefined };
  let checkpoints: ReadModelInspection['checkpoints'];
  const [logFindings, readModelFindings, busFindings] = await Promise.all([
    inspected(eventLog, () => eventLog.inspect()),
    inspected(readModels, async () => {
      const inspection = await readModels.inspect();
      checkpoints = inspection.checkpoints;
      return inspection.findings;
    }),
    inspected(bus, () => bus.inspect(config)),
  ]);
  const isLogReachable = logFindings.every(({ status }) => status !== 'error');
  const lag = async () =>
    checkpoints && isLogReachable && eventLog.openBeside
      ? checkLag(await eventLog.openBeside(), checkpoints, now)
      : [];
  return [
    ok('configuration', `read, ${profileOf(config)}`),
    ...folder.findings,
    ...(await checkOpenFiles(folder.owner)),
    await checkPort(config, folder.owner),
    ...logFindings,
    ...readModelFindings,
    ...busFindings,
    ...(await bounded('read models', lag)),
  ];
};

const configuration = (
  environment: Environment,
): { readonly config: Config | undefined; readonly problems: readonly Finding[] } => {
  const action = 'See docs/SETTINGS.md';
  try {
    const config = readConfig(environment);
    requireSecrets(config);
    return { config, problems: [] };
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    const problems = error.problems.map((problem) => failure('configuration', problem, action));
    return { config: undefined, problems };
  }
};

const profileOf = ({ engines: { eventLog, readModels, bus } }: Config): string =>
  `event log on ${eventLog.name}, read models on ${readModels.name}, bus on ${bus.name}`;

const inspected = (engine: Engine, inspect: () => Promise<readonly Finding[]>) =>
  bounded(engine.name, () =>
    inspect().catch((error: unknown) => [judgeRefusal(engine, error, kindOf(error))]),
  );

/** The message of a client may hold parts of the URL: only its kind is shown, and the code of the system. */
const kindOf = (error: unknown): string => {
  const { name, code, cause } = error as NodeJS.ErrnoException & { readonly cause?: unknown };
  const inner = cause === undefined ? undefined : (cause as NodeJS.ErrnoException).code;
  return [name, code ?? inner].filter((each) => each !== undefined).join(' ');
};

/** An engine that neither answers nor refuses must not hold up the rest. */
const bounded = async (
  check: string,
  work: () => Promise<readonly Finding[]>,
): Promise<readonly Finding[]> => {
  try {
    return await withTimeout(patienceMs, work(), () => [
      failure(check, `no answer within ${patienceMs / 1_000} s`, 'See whether it is overloaded'),
    ]);
  } catch (error) {
    return [failure(check, `cannot be examined (${(error as Error).name})`, 'See its log lines')];
  }
};

/** How far those that follow an event log on a server are behind it. */
const checkLag = async (
  log: EventLog,
  checkpoints: NonNullable<ReadModelInspection['checkpoints']>,
  now: () => number,
): Promise<readonly Finding[]> => {
  try {
    const head = await log.head();
    const findings: Finding[] = [];
    for (const [follower, { checkpoint, origin }] of checkpoints) {
      const provenance = checkpoint === undefined ? undefined : await provenanceOf(log, checkpoint, origin);
      const fits = provenance === undefined || provenance === 'this log';
      const missingSinceMs = fits ? await missingSince(log, checkpoint, head, now) : undefined;
      const state = { follower, head, checkpoint, provenance, missingSinceMs };
      findings.push(judgeLag({ ...state, isKept: true, isShared: true }));
    }
    return findings;
  } finally {
    await log.close();
  }
};

const missingSince = async (
  log: EventLog,
  checkpoint: LogPosition | undefined,
  head: LogPosition | undefined,
  now: () => number,
): Promise<number | undefined> => {
  if (head === undefined || (checkpoint !== undefined && checkpoint >= head)) return undefined;
  for await (const [first] of log.readAll(checkpoint))
    if (first !== undefined) return Math.max(0, now() - Date.parse(first.metadata.occurredAt));
  return undefined;
};

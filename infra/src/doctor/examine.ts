import { ConfigError, readConfig, type Config } from '../config/config.js';
import type { Environment } from '../config/variables.js';
import { requireSecrets } from '../services/service.js';
import { checkEventStore, checkKafka, checkMongo } from './engineChecks.js';
import { failure, ok, type Finding } from './finding.js';
import { checkFolder } from './folderChecks.js';
import { checkLag } from './lagChecks.js';
import { checkOpenFiles, checkPort } from './processChecks.js';
import { withTimeout } from '@roomwire/shared/runtime/waiting';

/** Longest that anything may keep the others waiting. */
const patienceMs = 20_000;

/** Looks at everything that the configuration names, and changes nothing, whether Roomwire runs or not. */
export const examine = async (environment: Environment, now: () => number): Promise<readonly Finding[]> => {
  const { config, problems } = configuration(environment);
  if (config === undefined) return problems;
  const folder = config.isEmbedded ? await checkFolder(config, now()) : { findings: [], owner: undefined };
  const [eventStore, mongo, kafka] = await Promise.all([
    bounded('EventStoreDB', () => checkEventStore(config)),
    checkMongo(config),
    bounded('Kafka', () => checkKafka(config)),
  ]);
  const { checkpoints } = mongo;
  const isLogWell = eventStore.every(({ status }) => status !== 'error');
  const lag = () => (checkpoints && isLogWell ? checkLag(config, checkpoints, now) : Promise.resolve([]));
  return [
    ok('configuration', `read, ${profileOf(config)}`),
    ...folder.findings,
    ...(await checkOpenFiles(folder.owner)),
    await checkPort(config, folder.owner),
    ...eventStore,
    ...mongo.findings,
    ...kafka,
    ...(await bounded('read models', lag)),
  ];
};

const configuration = (
  environment: Environment,
): { readonly config: Config | undefined; readonly problems: readonly Finding[] } => {
  const action = 'See the table of settings in README.md';
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

const profileOf = ({ eventStoreUrl, mongodbUrl, kafkaBrokers }: Config): string => {
  const where = (engine: string, url: unknown): string => (url === undefined ? 'files' : engine);
  return `event log on ${where('EventStoreDB', eventStoreUrl)}, read models on ${where('MongoDB', mongodbUrl)}, bus on ${where('Kafka', kafkaBrokers)}`;
};

/** An engine that neither answers nor refuses must not keep the rest from being told. */
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

import { access, constants, readdir, stat, statfs } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { inspectFolder, ownerOf, type FolderState } from '@roomwire/shared/adapters/lmdb/inspectFolder';
import { unfinishedMark } from '../engines/files.js';
import type { Config } from '../config/config.js';
import { keptMasterKeys, readJsonFile, secretsFileName, type SecretsFile } from '../secrets/keptSecrets.js';
import { failure, judgeClock, ok, warning, type Finding } from '../engines/finding.js';
import { judgeDisk, judgeLag } from './rules.js';

export interface FolderReport {
  readonly findings: readonly Finding[];
  /** The process that runs on the folder. */
  readonly owner: number | undefined;
}

/** Checks the data folder: its owner, its permissions and the state of its files. */
export const checkFolder = async (config: Config, now: number): Promise<FolderReport> => {
  const { dataDir } = config;
  const found = await stat(dataDir).catch(() => undefined);
  if (found === undefined)
    return {
      findings: [
        ok('data folder', `${dataDir} is not there; the first start makes it`),
        await checkDisk(dataDir),
      ],
      owner: undefined,
    };
  const rights = await checkRights(dataDir, found.mode);
  const readable = rights.every(({ status }) => status !== 'error');
  const owner = readable ? await ownerOf(dataDir).catch(() => undefined) : undefined;
  const own = owner === undefined ? 'no Roomwire runs on it' : `process ${owner} runs on it`;
  return {
    owner,
    findings: [
      ok('data folder', `${dataDir}, ${own}`),
      ...rights,
      ...(await checkSecrets(config)),
      ...(readable ? await checkFiles(config, owner !== undefined, now) : []),
      await checkDisk(dataDir),
    ],
  };
};

const checkRights = async (dataDir: string, mode: number): Promise<Finding[]> => {
  const findings: Finding[] = [];
  const isOurs = await access(dataDir, constants.R_OK | constants.W_OK | constants.X_OK).then(
    () => true,
    () => false,
  );
  if (!isOurs)
    findings.push(
      failure('rights', `${dataDir} cannot be written`, 'Run as its owner, or give it to the one who runs'),
    );
  if ((mode & 0o077) !== 0)
    findings.push(warning('rights', `${dataDir} is open to other users`, `chmod 700 ${dataDir}`));
  if (!isOurs) return findings;
  for (const name of await readdir(dataDir)) {
    if (!/\.(?:json|lmdb)$/.test(name)) continue;
    // A request for a rebuild is there for a moment.
    const file = await stat(join(dataDir, name)).catch(() => undefined);
    if (file === undefined || (file.mode & 0o077) === 0) continue;
    findings.push(failure('rights', `${name} is open to other users`, `chmod 600 ${join(dataDir, name)}`));
  }
  if (findings.length === 0) findings.push(ok('rights', 'for its owner alone'));
  return findings;
};

const checkSecrets = async ({ dataDir, masterKey, sessionSecret }: Config): Promise<Finding[]> => {
  if (masterKey !== undefined && sessionSecret !== undefined) return [ok('secrets', 'configured')];
  const file = join(dataDir, secretsFileName);
  const again = `Restore ${secretsFileName} from a backup: what is sealed under its key stays closed without it`;
  try {
    const kept = await readJsonFile<SecretsFile>(file);
    if (kept !== undefined) {
      keptMasterKeys(file, kept, []);
      return [ok('secrets', `kept in ${secretsFileName}`)];
    }
    const isUsed = (await readJsonFile(join(dataDir, 'credentials.json'))) !== undefined;
    return [
      isUsed
        ? failure('secrets', `${secretsFileName} is missing`, again)
        : ok('secrets', 'the first start makes them'),
    ];
  } catch {
    return [failure('secrets', `${secretsFileName} cannot be read as keys`, again)];
  }
};

const checkFiles = async (
  { dataDir, engines }: Config,
  isRunning: boolean,
  now: number,
): Promise<Finding[]> => {
  const names = await readdir(dataDir);
  if (names.includes(unfinishedMark))
    return [
      failure(
        'files of the folder',
        'a restore into it was interrupted',
        'Run it again, with the same backup',
      ),
    ];
  let state: FolderState;
  try {
    await readJsonFile(join(dataDir, 'credentials.json'));
    state = await inspectFolder(dataDir);
  } catch (error) {
    return [failure('files of the folder', (error as Error).message, 'Restore the folder from a backup')];
  }
  if (!(engines.eventLog.onFiles && engines.readModels.onFiles)) return [];
  return [...lags(state, isRunning, now), ...clock(state, now)];
};

/** On disk they follow the ones in memory by a second. */
const lags = (state: FolderState, isKept: boolean, now: number): Finding[] => {
  const { last, firstBehind, views, audit } = state;
  const since = (at: string | undefined) => (at === undefined ? undefined : now - Date.parse(at));
  const head = last?.position;
  return [
    judgeLag({
      ...{ follower: 'read models', head, ...views, isKept, isShared: false },
      missingSinceMs: since(firstBehind?.metadata.occurredAt),
    }),
    judgeLag({
      ...{ follower: 'audit index', head, ...audit, isKept, isShared: false },
      missingSinceMs: audit.checkpoint === head ? undefined : since(last?.metadata.occurredAt),
    }),
  ];
};

/** Nothing has happened later than now, unless a clock was set back. */
const clock = ({ last }: FolderState, now: number): Finding[] => {
  const aheadMs = last === undefined ? 0 : Date.parse(last.metadata.occurredAt) - now;
  return aheadMs > 2_000
    ? [judgeClock('the last event', aheadMs)]
    : [ok('clock', 'not behind the last event')];
};

/** Of the nearest folder that is there. */
const checkDisk = async (path: string): Promise<Finding> => {
  const found = await statfs(path).catch(() => undefined);
  if (found === undefined)
    return dirname(resolve(path)) === resolve(path)
      ? warning('disk', 'the free space is not known', 'Look with df')
      : checkDisk(dirname(resolve(path)));
  return judgeDisk(found.bavail * found.bsize, found.blocks * found.bsize);
};

import { chmodSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';

/** What `roomwire login` keeps of a service. */
export interface Profile {
  /** Of the service, or of its gateway. */
  readonly url: string;
  /** Of the REST API, where it has another address. */
  readonly apiUrl?: string;
  readonly apiKey?: string;
  /** A user session token. */
  readonly session?: string;
  /** An access token of an actor. */
  readonly token?: string;
}

type Profiles = Readonly<Record<string, Profile>>;

export const defaultProfile = 'default';

/** Beside the settings of other programs of the same user. */
export const profilesFile = (): string =>
  join(process.env['XDG_CONFIG_HOME'] || join(homedir(), '.config'), 'roomwire', 'profiles.json');

const readProfiles = (): Profiles => {
  try {
    return JSON.parse(readFileSync(profilesFile(), 'utf8')) as Profiles;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return {};
    throw new Error(`${profilesFile()} cannot be read: ${(error as Error).message}`, { cause: error });
  }
};

/** Undefined where there is none of that name. Throws where the file cannot be read. */
export const readProfile = (name: string): Profile | undefined => {
  const profiles = readProfiles();
  return Object.hasOwn(profiles, name) ? profiles[name] : undefined;
};

/** Undefined removes it. The file is replaced at once, and is its owner's alone from its first byte on. */
export const writeProfile = (name: string, profile: Profile | undefined): void => {
  const file = profilesFile();
  const { [name]: former, ...others } = readProfiles();
  if (former === undefined && profile === undefined) return;
  const profiles = profile ? { ...others, [name]: profile } : others;
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  const written = `${file}.${process.pid}`;
  rmSync(written, { force: true });
  writeFileSync(written, `${JSON.stringify(profiles, undefined, 2)}\n`, { flag: 'wx', mode: 0o600 });
  chmodSync(written, 0o600);
  renameSync(written, file);
};

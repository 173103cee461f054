import { Option, type Command } from 'commander';
import { exitCodes, fail } from './fail.js';
import { defaultProfile, readProfile, type Profile } from './profiles.js';

export interface ServerOptions {
  readonly url?: string;
  readonly apiUrl?: string;
  readonly profile: string;
}

export const defaultUrl = 'http://127.0.0.1:8080';

/** The options of every command that talks to a running service: one address is enough for all of them. */
export const addServerOptions = (command: Command): Command =>
  command
    .addOption(
      new Option(
        '--url <url>',
        `address of the service, like ${defaultUrl}, or of its gateway, like ws://127.0.0.1:8080/ws (default: ${defaultUrl})`,
      ).env('ROOMWIRE_URL'),
    )
    .addOption(
      new Option('--api-url <url>', 'address of the REST API, if it differs').env('ROOMWIRE_API_URL'),
    )
    .addOption(
      new Option('--profile <name>', 'the profile stored by `roomwire login`')
        .env('ROOMWIRE_PROFILE')
        .default(defaultProfile),
    );

/** A service and what is kept for it. */
export interface ServerAddress {
  /** Of the REST API, without `/v1`. */
  readonly apiUrl: string;
  readonly gatewayUrl: string;
  /** Undefined where there is no profile. Without the secrets of another address, which are not sent to this one. */
  readonly kept: Profile | undefined;
}

/** Ends the command when the options name no service. */
export const serverOrExit = ({ url, apiUrl, profile: name }: ServerOptions): ServerAddress => {
  const profile = profileOrExit(name);
  const named = addressesOf(url ?? profile?.url ?? defaultUrl, apiUrl ?? (url ? undefined : profile?.apiUrl));
  if (named === undefined)
    return fail(
      'The address of a service begins with http://, https://, ws:// or wss://, that of its REST API with http:// or https://',
      exitCodes.misused,
    );
  return { ...named, kept: profile && keptFor(named, profile) };
};

/** Of a profile only what was stored for these addresses: each secret is sent to the one that it is for. */
export const keptFor = (
  { apiUrl, gatewayUrl }: Pick<ServerAddress, 'apiUrl' | 'gatewayUrl'>,
  { apiKey, session, token, ...address }: Profile,
): Profile => {
  const known = addressesOf(address.url, address.apiUrl);
  return {
    ...address,
    ...(known?.apiUrl === apiUrl && { ...(apiKey && { apiKey }), ...(session && { session }) }),
    ...(known?.gatewayUrl === gatewayUrl && token && { token }),
  };
};

const profileOrExit = (name: string): Profile | undefined => {
  try {
    const profile = readProfile(name);
    if (profile === undefined && name !== defaultProfile)
      return fail(
        `There is no profile ${name}: roomwire login --profile ${name} makes it`,
        exitCodes.misused,
      );
    return profile;
  } catch (error) {
    return fail((error as Error).message);
  }
};

/** Both addresses of a service, from that of either; undefined for what is none. */
export const addressesOf = (
  url: string,
  apiUrl?: string,
): Pick<ServerAddress, 'apiUrl' | 'gatewayUrl'> | undefined => {
  if (!isAddress(url, /^(?:http|ws)s?:$/) || (apiUrl !== undefined && !isAddress(apiUrl, /^https?:$/)))
    return undefined;
  const { protocol, host, pathname } = new URL(url);
  const secure = protocol === 'https:' || protocol === 'wss:' ? 's' : '';
  const base = `${host}${pathname.replace(/\/(?:ws)?\/?$/, '')}`;
  const gatewayUrl = protocol.startsWith('ws') ? url : `ws${secure}://${base}/ws`;
  return { gatewayUrl, apiUrl: apiUrl?.replace(/\/$/, '') ?? `http${secure}://${base}` };
};

const isAddress = (url: string, protocols: RegExp): boolean =>
  URL.canParse(url) && protocols.test(new URL(url).protocol);

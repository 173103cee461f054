import { BlockList, isIP, type LookupFunction } from 'node:net';
import { lookup, type LookupAddress, type LookupOptions } from 'node:dns';
import ipaddr from 'ipaddr.js';

export interface ReachOptions {
  /** Whether endpoints on private, loopback and link-local addresses may be called. */
  readonly allowPrivate: boolean;
  /** Networks that may be called despite the default rules, such as `10.1.0.0/16`. */
  readonly allowNetworks?: readonly string[];
  /** Networks that must not be called; takes precedence. */
  readonly denyNetworks?: readonly string[];
}

/** Whether an address may be called. */
export type IsAllowed = (address: string) => boolean;

/** [HOOK-SSRF-3] Undefined where every address may be called: nothing has to be checked. */
export const reachOf = (options: ReachOptions): IsAllowed | undefined => {
  const { allowPrivate, allowNetworks = [], denyNetworks = [] } = options;
  if (allowPrivate && denyNetworks.length === 0) return undefined;
  const [isAllowed, isDenied] = [within(allowNetworks), within(denyNetworks)];
  return (address) => !isDenied(address) && (allowPrivate || isPublicAddress(address) || isAllowed(address));
};

/** Whether a text is a network, as `10.1.0.0/16` or `fd00::/8`, or a single address. */
export const isNetwork = (text: string): boolean => {
  const [address = '', prefix, ...rest] = text.split('/');
  const family = address.includes('%') ? 0 : isIP(address);
  if (family === 0 || rest.length > 0) return false;
  return prefix === undefined || (/^\d{1,3}$/.test(prefix) && Number(prefix) <= bitsOf(family));
};

/** Says of an address whether it is in one of the networks; one that maps IPv4 is taken for that. */
export const within = (networks: readonly string[]): ((address: string) => boolean) => {
  const list = new BlockList();
  for (const network of networks) {
    const [address = '', prefix] = network.split('/');
    const family = isIP(address);
    list.addSubnet(address, prefix === undefined ? bitsOf(family) : Number(prefix), typeOf(family));
  }
  return (address) => {
    const family = isIP(address);
    return family !== 0 && list.check(address, typeOf(family));
  };
};

const bitsOf = (family: number): number => (family === 4 ? 32 : 128);
const typeOf = (family: number): 'ipv4' | 'ipv6' => (family === 4 ? 'ipv4' : 'ipv6');

/** The part of IPv6 that is assigned to networks; the library takes the rest for ordinary. */
const globalUnicast = ipaddr.IPv6.parseCIDR('2000::/3');

/**
 * [HOOK-SSRF-1] Whether an address is one of the Internet at large. What stands for an IPv4 address (mapped, compatible,
 * NAT64, 6to4, Teredo) is not, wherever it leads: such endpoints have an IPv4 address that can be called.
 */
export const isPublicAddress = (address: string): boolean => {
  if (!ipaddr.isValid(address)) return false;
  const parsed = ipaddr.parse(address);
  return parsed.range() === 'unicast' && (parsed instanceof ipaddr.IPv4 || parsed.match(globalUnicast));
};

/** The endpoint is where webhooks may not go. */
export class ForbiddenAddress extends Error {
  override readonly name = 'ForbiddenAddress';

  constructor() {
    super('The address of the endpoint is private, reserved or denied');
  }
}

/** As `lookup` of Node's `dns` for all addresses. */
export type Resolve = (
  host: string,
  options: LookupOptions & { all: true },
  callback: (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void,
) => void;

/**
 * Resolves a name once and gives the very addresses that are then connected to; fails with `ForbiddenAddress` where
 * one of them is not allowed, so that a name cannot offer both kinds.
 */
export const createGuardedLookup =
  (isAllowed: IsAllowed, resolve: Resolve = lookup): LookupFunction =>
  (host, options, callback) => {
    resolve(host, { ...options, all: true }, (error, addresses) => {
      if (error) return callback(error, '', 0);
      if (!addresses.every(({ address }) => isAllowed(address)))
        return callback(new ForbiddenAddress(), '', 0);
      if (options.all) return callback(null, addresses);
      const [first] = addresses;
      return first ? callback(null, first.address, first.family) : callback(notFound(host), '', 0);
    });
  };

const notFound = (host: string): NodeJS.ErrnoException =>
  Object.assign(new Error(`No address of ${host}`), { code: 'ENOTFOUND' });

/** A host that is written as an address is never looked up; `URL` has made one form of its many spellings. */
export const isForbiddenHost = ({ hostname }: URL, isAllowed: IsAllowed): boolean => {
  const host = hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '');
  if (isIP(host) !== 0) return !isAllowed(host);
  return /(?:^|\.)localhost$/i.test(host) && !isAllowed('127.0.0.1');
};

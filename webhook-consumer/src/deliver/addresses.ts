import { isIP, type LookupFunction } from 'node:net';
import type { LookupAddress, LookupOptions } from 'node:dns';
import ipaddr from 'ipaddr.js';
import { within } from '@roomwire/shared/runtime/networks';
import { isMetadataAddress } from './metadataAddresses.js';

export interface ReachOptions {
  /** Whether endpoints on private and loopback addresses may be called; those on link-local ones never are. */
  readonly allowPrivate: boolean;
  /** Networks that may be called despite the default rules, such as `10.1.0.0/16`. */
  readonly allowNetworks?: readonly string[];
  /** Networks that must not be called; takes precedence. */
  readonly denyNetworks?: readonly string[];
}

/** Whether an address may be called. */
export type IsAllowed = (address: string) => boolean;

/** [HOOK-SSRF-3] [HOOK-SSRF-4] What no option allows comes first. */
export const reachOf = (options: ReachOptions): IsAllowed => {
  const { allowPrivate, allowNetworks = [], denyNetworks = [] } = options;
  const [isAllowed, isDenied] = [within(allowNetworks), within(denyNetworks)];
  return (address) =>
    !isMetadataAddress(address) &&
    !isDenied(address) &&
    (allowPrivate || isPublicAddress(address) || isAllowed(address));
};

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
  (isAllowed: IsAllowed, resolve: Resolve): LookupFunction =>
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

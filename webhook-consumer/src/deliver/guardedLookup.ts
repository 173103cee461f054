import { lookup, type LookupAddress, type LookupOptions } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import type { IsAllowed } from './reach.js';

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
 * one of them is not allowed, so that nobody can try both kinds.
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

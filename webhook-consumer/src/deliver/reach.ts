import { within } from './networks.js';
import { isPublicAddress } from './publicAddress.js';

export interface ReachOptions {
  /** Whether endpoints on private, loopback and link-local addresses may be called. */
  readonly allowPrivate: boolean;
  /** Networks that may be called all the same, as `10.1.0.0/16`. */
  readonly allowNetworks?: readonly string[];
  /** Networks that must not be called, whatever else says that they may. */
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

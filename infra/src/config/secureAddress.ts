import { isLoopbackHost } from '@roomwire/shared/runtime/networks';

/** Whether an address is of this machine alone. */
export const isAtHand = ({ hostname }: URL): boolean => isLoopbackHost(hostname.replace(/^\[|\]$/g, ''));

/** Whether nobody on the way can read or change what is sent to an address. */
export const isSecureAddress = (address: URL): boolean => address.protocol === 'https:' || isAtHand(address);

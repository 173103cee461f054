import { isLoopbackHost } from '@roomwire/shared/runtime/networks';

/** Whether nobody on the way can read or change what is sent to an address. */
export const isSecureAddress = ({ protocol, hostname }: URL): boolean =>
  protocol === 'https:' || isLoopbackHost(hostname.replace(/^\[|\]$/g, ''));

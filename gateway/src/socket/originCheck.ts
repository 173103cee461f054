import type { IncomingMessage } from 'node:http';

/**
 * Whether a handshake may go on. Only browsers name the page that asks, and no page can make them name another one: the
 * check keeps other people's pages out, and nothing else, so that a handshake without an origin passes.
 */
export const isAllowedOrigin = ({ headers }: IncomingMessage, allowed: readonly string[] | '*'): boolean => {
  // The second one is from before the protocol was a standard, and still taken by `ws`.
  const named = [headers.origin, headers['sec-websocket-origin']]
    .flat()
    .filter((origin) => origin !== undefined);
  return allowed === '*' || named.every((origin) => allowed.includes(origin));
};

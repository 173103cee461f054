import type { IncomingMessage } from 'node:http';
import { isIP, SocketAddress } from 'node:net';

/** The part of a request that its client's address follows from. */
export interface AddressedRequest {
  readonly headers: IncomingMessage['headers'];
  readonly socket: { readonly remoteAddress?: string | undefined };
}

/** Stands for the address of a peer that is gone already. */
export const unknownAddress = 'unknown';

/**
 * The address of the client that made a request, in its one normal form. Every proxy appends the address that it was called
 * from to `X-Forwarded-For`: of `trustedProxies` proxies in front of the service the outermost one appended the
 * `trustedProxies`-th entry from the right, and everything to the left of it is the client's own word. Where there is no such entry,
 * or it is no address, the request did not come through all of them, and the peer of the socket counts.
 */
export const clientAddress = ({ headers, socket }: AddressedRequest, trustedProxies: number): string => {
  const forwarded = trustedProxies === 0 ? undefined : forwardedFor(headers, trustedProxies);
  return forwarded ?? normalAddress(socket.remoteAddress ?? '') ?? unknownAddress;
};

const forwardedFor = (headers: AddressedRequest['headers'], trustedProxies: number): string | undefined => {
  const entries = [headers['x-forwarded-for'] ?? []].flat().join(',').split(',');
  return normalAddress(withoutPort(entries.at(-trustedProxies)?.trim() ?? ''));
};

/** Some proxies append the port as well, and brackets around IPv6. */
const withoutPort = (entry: string): string =>
  /^\[([^\]]*)\](?::\d+)?$/.exec(entry)?.[1] ?? /^([\d.]+):\d+$/.exec(entry)?.[1] ?? entry;

const mapped = '::ffff:';

/** IPv4 in IPv6 is IPv4; IPv6 has its shortest form and no zone. Undefined for what is no address. */
const normalAddress = (text: string): string | undefined => {
  const [plain = ''] = text.split('%', 1);
  const version = isIP(plain);
  if (version === 0) return undefined;
  if (version === 4) return plain;
  const { address } = new SocketAddress({ address: plain, family: 'ipv6' });
  return address.startsWith(mapped) && isIP(address.slice(mapped.length)) === 4
    ? address.slice(mapped.length)
    : address;
};

/**
 * What is counted as one address: an IPv4 address, or the /64 network of an IPv6 address, within which a single host may choose
 * any of 2^64 addresses. Takes what `clientAddress` returns.
 */
export const addressGroup = (address: string): string => {
  if (isIP(address) !== 6) return address;
  const [head = '', tail] = address.split('::');
  const left = head === '' ? [] : head.split(':');
  const right = tail === undefined || tail === '' ? [] : tail.split(':');
  // An embedded IPv4 address stands for two groups; it is in the last ones, of which only the number matters.
  const rightGroups = right.length + (tail?.includes('.') === true ? 1 : 0);
  const zeros = tail === undefined ? 0 : 8 - left.length - rightGroups;
  const groups = [...left, ...Array.from({ length: zeros }, () => '0'), ...right];
  return `${groups.slice(0, 4).join(':')}::/64`;
};

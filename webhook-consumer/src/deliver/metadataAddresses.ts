import ipaddr from 'ipaddr.js';
import { within } from '@roomwire/shared/runtime/networks';

/**
 * Link-local networks, and the addresses outside of them where clouds answer their machines with credentials: AWS over IPv6,
 * Google Cloud over IPv6, Scaleway over IPv6, Alibaba Cloud, Oracle Cloud, and what Azure's agents talk to.
 */
const isNamed = within([
  ...['169.254.0.0/16', 'fe80::/10'],
  ...['fd00:ec2::254', 'fd20:ce::254', 'fd00:42::42', '100.100.100.200', '192.0.0.192', '168.63.129.16'],
]);

/**
 * [HOOK-SSRF-4] Whether an address is link-local, or where a cloud keeps the metadata of its machines, in whatever IPv6 address
 * it is embedded; also for what is no address. No endpoint of a customer is there, and what answers takes the caller for the machine.
 */
export const isMetadataAddress = (address: string): boolean => {
  if (!ipaddr.isValid(address)) return true;
  const parsed = ipaddr.parse(address);
  if (parsed instanceof ipaddr.IPv4) return isNamed(parsed.toString());
  return isNamed(withoutZone(parsed)) || embeddedIn(parsed).some(isNamed);
};

const withoutZone = ({ parts }: ipaddr.IPv6): string => new ipaddr.IPv6([...parts]).toString();

const inNetwork = (network: string): ((address: ipaddr.IPv6) => boolean) => {
  const parsed = ipaddr.IPv6.parseCIDR(network);
  return (address) => address.match(parsed);
};

/** Compatible, mapped, translated (SIIT), NAT64. */
const atTheEnd = ['::/96', '::ffff:0:0/96', '::ffff:0:0:0/96', '64:ff9b::/96'].map(inNetwork);
const isLocalNat64 = inNetwork('64:ff9b:1::/48');
const is6to4 = inNetwork('2002::/16');
const isTeredo = inNetwork('2001::/32');
/** In any network. */
const isIsatap = ({ parts }: ipaddr.IPv6): boolean =>
  parts[5] === 0x5efe && (parts[4] === 0 || parts[4] === 0x200);

/** The IPv4 addresses that an IPv6 address may lead to. */
const embeddedIn = (address: ipaddr.IPv6): readonly string[] => {
  const bytes = address.toByteArray();
  const at = (...positions: readonly number[]): string => positions.map((n) => bytes[n]).join('.');
  if (atTheEnd.some((isIn) => isIn(address)) || isIsatap(address)) return [at(12, 13, 14, 15)];
  if (is6to4(address)) return [at(2, 3, 4, 5)];
  // The prefix may have 48, 56, 64 or 96 bits, and byte 8 is left out (RFC 6052).
  if (isLocalNat64(address))
    return [at(6, 7, 9, 10), at(7, 9, 10, 11), at(9, 10, 11, 12), at(12, 13, 14, 15)];
  // The server, and the client with every bit inverted.
  if (isTeredo(address))
    return [
      at(4, 5, 6, 7),
      bytes
        .slice(12)
        .map((byte) => byte ^ 0xff)
        .join('.'),
    ];
  return [];
};

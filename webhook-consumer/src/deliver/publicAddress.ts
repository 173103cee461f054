import ipaddr from 'ipaddr.js';

// What the library takes for ordinary and is not: benchmarks; protocols of the IETF, and documentation.
const benchmarks = ipaddr.IPv4.parseCIDR('198.18.0.0/15');
const reserved = ['2001::/23', '3fff::/20'].map((range) => ipaddr.IPv6.parseCIDR(range));

/** All that is given to networks, in version 6. */
const globalUnicast = ipaddr.IPv6.parseCIDR('2000::/3');

/**
 * [HOOK-SSRF-1] Whether an address is one of the Internet at large. What stands for an IPv4 address (mapped, compatible,
 * NAT64, 6to4, Teredo) is not, wherever it leads: such endpoints have an IPv4 address that can be called.
 */
export const isPublicAddress = (address: string): boolean => {
  if (!ipaddr.isValid(address)) return false;
  const parsed = ipaddr.parse(address);
  if (parsed.range() !== 'unicast') return false;
  if (parsed instanceof ipaddr.IPv4) return !parsed.match(benchmarks);
  return parsed.match(globalUnicast) && !reserved.some((range) => parsed.match(range));
};

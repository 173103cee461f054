import { BlockList, isIP } from 'node:net';

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

const isLoopbackAddress = within(['127.0.0.0/8', '::1']);

/** Whether what listens on this host is reached from this machine alone. */
export const isLoopbackHost = (host: string): boolean =>
  /^localhost\.?$/i.test(host) || isLoopbackAddress(host);

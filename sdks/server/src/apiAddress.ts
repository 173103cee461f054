const examples = 'https://roomwire.example.com or http://127.0.0.1:8080';

/**
 * The address of the REST API, with its version, from that of the service or, as `ROOMWIRE_URL` may have it, of its gateway. Throws a `TypeError` for
 * anything else.
 */
export const apiAddressOf = (url: string | undefined): string => {
  if (url === undefined || !URL.canParse(url) || !/^(?:http|ws)s?:$/.test(new URL(url).protocol))
    throw new TypeError(`url must be the address of the service, like ${examples}; it is ${shown(url)}`);
  const { protocol, host, pathname } = new URL(url);
  const end = protocol.startsWith('ws') ? /\/(?:ws\/?)?$/ : /\/(?:v1\/?)?$/;
  return `${protocol.replace('ws', 'http')}//${host}${pathname.replace(end, '')}/v1`;
};

const shown = (url: string | undefined): string => (url === undefined ? 'not given' : JSON.stringify(url));

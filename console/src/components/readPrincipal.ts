/** What somebody who asked is called: `apiKey:ak_live_1` is the API key `ak_live_1`. */
export interface ReadPrincipal {
  /** Empty for a user: their name says enough. */
  readonly kind: string;
  readonly name: string;
}

const kinds: Readonly<Record<string, string>> = {
  apiKey: 'API key',
  session: '',
  actor: 'actor',
  signingKey: 'signing key',
};

export const readPrincipal = (principal: string): ReadPrincipal => {
  if (principal === 'system') return { kind: '', name: 'Roomwire' };
  const [scheme = '', ...rest] = principal.split(':');
  const name = rest.join(':');
  if (scheme === 'oidc') {
    const [issuer = '', ...subject] = name.split('|');
    return { kind: '', name: `${subject.join('|')} of ${issuer.replace(/^https?:\/\//, '')}` };
  }
  const kind = kinds[scheme];
  return kind === undefined || name === '' ? { kind: '', name: principal } : { kind, name };
};

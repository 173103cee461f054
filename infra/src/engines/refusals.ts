import { causesOf } from '@roomwire/shared/runtime/outage';

/** Why an engine does not serve this process. */
export type Refusal = 'certificate' | 'password' | 'rights' | 'no leader' | 'unknown host' | 'away';

/** What helps against each, by the settings of the engine; nothing of that kind on files. */
export type Remedies = Readonly<Partial<Record<Refusal, string>>>;

/**
 * What errors of the clients, and of the servers through them, are known by: their classes, their codes and, where there is nothing
 * else, their texts. The first that fits an error counts: a certificate that is not trusted also looks as if the server were away.
 */
const signs: readonly (readonly [Refusal, RegExp])[] = [
  ['certificate', /certificate|CERT_|ALTNAME|wrong version number|EPROTO/i],
  ['password', /UNAUTHENTICATED|AuthenticationFailed|Authentication failed|SASLAuthentication/i],
  ['rights', /PERMISSION_DENIED|access-denied|\bUnauthorized\b|AUTHORIZATION_FAILED/i],
  [
    'no leader',
    /not-leader|Server Is Not Ready|NotWritablePrimary|NotPrimary|NoPrimaryAmongThose|LEADER_NOT_AVAILABLE|NOT_CONTROLLER|No partition takes records/i,
  ],
  ['unknown host', /ENOTFOUND|EAI_AGAIN|Name resolution failed/i],
  ['away', /ECONNREFUSED|EHOSTUNREACH|ENETUNREACH|ETIMEDOUT|\bUNAVAILABLE\b/i],
];

/** What is behind an error of an engine; undefined where that is not known. */
export const refusalOf = (error: unknown): Refusal | undefined => {
  const text = causesOf(error).map(signsIn).join('\n');
  return signs.find(([, sign]) => sign.test(text))?.[0];
};

/** As the clients name their fields: Node and MongoDB `code`, MongoDB `codeName`, EventStoreDB and Kafka `type`. */
const signsIn = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error);
  const { code, codeName, type } = error as unknown as Readonly<Record<string, unknown>>;
  return [error.name, error.message, code, codeName, type, someAnswer(error)].join(' ');
};

/** MongoDB's client looks for a primary only: the others may have answered. */
const someAnswer = (error: Error): string => {
  const { reason } = error as { readonly reason?: { readonly servers?: unknown } };
  const servers = reason?.servers instanceof Map ? [...reason.servers.values()] : [];
  return servers.some(({ type }: { readonly type?: unknown }) => type !== 'Unknown')
    ? 'NoPrimaryAmongThose'
    : '';
};

export const remedyOf = (remedies: Remedies, error: unknown): string | undefined => {
  const refusal = refusalOf(error);
  return refusal && remedies[refusal];
};

export const describeRefusal: Readonly<Record<Refusal, string>> = {
  certificate: 'its certificate is not trusted, or one side speaks TLS and the other does not',
  password: 'it does not know this user, or not by this password',
  rights: 'the user may not do what Roomwire does',
  'no leader': 'it has no leader that takes writes',
  'unknown host': 'its address is not known',
  away: 'nothing answers at its address',
};

import { text } from 'node:stream/consumers';
import type { Command } from 'commander';
import { connect, type RoomwireError } from '@roomwire/sdk';
import { ApiRefused, askApi } from '../api-client/apiRequests.js';
import { keyIdOf } from '../api-client/lookups.js';
import { findingsOf, type TokenFindings } from '../tokens/tokenFindings.js';
import { addApiOptions, type ApiOptions } from './apiOptions.js';
import { serverOrExit, type ServerAddress } from './serverOptions.js';

interface ExplainTokenOptions extends ApiOptions {
  readonly offline?: boolean;
}

export const addExplainToken = (program: Command): void => {
  const command = program
    .command('explain-token')
    .description('explain a token, and why a gateway would refuse it, without printing its secret parts')
    .argument('<token>', 'an access token or a client token; - reads it from standard input')
    .option('--offline', 'check only the token itself, without the API or the gateway', false);
  addApiOptions(command).action(explain);
};

const say = (mark: string, line: string): void => void process.stdout.write(`${mark} ${line}\n`);

const explain = async (given: string, options: ExplainTokenOptions): Promise<void> => {
  const token = (given === '-' ? await text(process.stdin) : given).trim();
  const findings = findingsOf(token, Date.now());
  for (const fact of findings.facts) say('-', fact);
  for (const fault of findings.faults) say('✖', fault);
  let isGood = findings.faults.length === 0;
  if (!options.offline && findings.kind !== 'other') {
    const server = serverOrExit(options);
    const faults = await faultsOnRecord(findings, server, options.apiKey || server.kept?.apiKey);
    for (const fault of faults) say('✖', fault);
    const verdict = isGood ? await verdictOf(server.gatewayUrl, token) : undefined;
    if (verdict?.isAccepted) say('✔', verdict.line);
    else if (verdict) say('✖', `${verdict.line}${faults.length === 0 ? hintFor(findings) : ''}`);
    isGood = isGood && faults.length === 0 && verdict?.isAccepted === true;
  }
  process.exitCode = isGood ? 0 : 1;
};

/** What is left where everything that can be seen is right. */
const hintFor = ({ kind }: TokenFindings): string =>
  kind === 'client token'
    ? '. If the key and the actor are active, it was revoked (GET /v1/revocations), or signed with another secret: the bytes of the signing key behind its dot are meant, as they were shown'
    : '. If the actor is active, the secret is not its own';

type Item = Readonly<Record<string, unknown>>;

/** What the read models say of its key and its actor; needs an API key that may read them. */
const faultsOnRecord = async (
  { actor, signingKey }: TokenFindings,
  { apiUrl: url }: ServerAddress,
  credential: string | undefined,
): Promise<string[]> => {
  // The token of an observer has neither.
  if (actor === undefined && signingKey === undefined) return [];
  if (credential === undefined) {
    say('-', 'the signing key and the actor were not looked up: that takes an API key (--api-key)');
    return [];
  }
  const api = { url, credential };
  const faults: string[] = [];
  const look = async (what: string, name: string, read: () => Promise<Item>): Promise<void> => {
    try {
      const fault = faultOf(what, await read());
      if (fault) faults.push(fault);
      else say('✔', `${what} ${name} is active`);
    } catch (error) {
      if (!(error instanceof ApiRefused)) throw error;
      if (error.status === 404) faults.push(`${what} ${name} is not in the project of this API key`);
      else say('-', `${what} ${name} was not looked up: ${error.message}`);
    }
  };
  if (signingKey !== undefined)
    await look('The signing key', signingKey, async () => {
      const id = await keyIdOf(api, 'signing-keys', 'signingKeyId', signingKey);
      return askApi<Item>(api, `signing-keys/${id}`);
    });
  if (actor !== undefined)
    await look('The actor', actor, async () => {
      const record = await askApi<Item>(api, `actors/${actor}`);
      const { accessScopeId } = record;
      if (typeof accessScopeId === 'string')
        await look('Its access scope', accessScopeId, () => askApi<Item>(api, `scopes/${accessScopeId}`));
      return record;
    });
  return faults;
};

const faultOf = (what: string, { status, isActive, expiresAt }: Item): string | undefined => {
  if (typeof status === 'string' && status !== 'active') return `${what} is ${status}`;
  if (isActive === false) return `${what} is inactive`;
  if (typeof expiresAt === 'string' && Date.parse(expiresAt) <= Date.now())
    return `${what} expired at ${expiresAt}`;
  return undefined;
};

/** What the gateway itself says. */
const verdictOf = async (url: string, token: string): Promise<{ isAccepted: boolean; line: string }> => {
  const client = connect({ url, token, reconnect: false });
  try {
    const { actorTokenId } = await client.ready();
    return { isAccepted: true, line: `The gateway accepts it, as the actor ${actorTokenId}` };
  } catch (error) {
    return { isAccepted: false, line: `The gateway says ${(error as RoomwireError).error}` };
  } finally {
    await client.close();
  }
};

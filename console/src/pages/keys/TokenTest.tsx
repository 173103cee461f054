import { connect, type RoomwireError } from '@roomwire/sdk';
import { CircleCheck, CircleX } from 'lucide-react';
import { useState } from 'react';
import { answerOf, isMissing } from '../../api/failure.js';
import { TextField } from '../../components/fields.js';
import { Form } from '../../components/Form.js';
import { gatewayUrl } from '../../session/gatewayUrl.js';
import { useProject, type OpenProject } from '../../session/console.js';
import { findingsOf, type TokenFindings } from './tokenFindings.js';

interface Verdict {
  readonly facts: readonly string[];
  readonly faults: readonly string[];
  /** What the gateway has said; undefined where it was not asked. */
  readonly accepted: string | undefined;
}

/** What a token is, and why a gateway refuses it: the gateway itself tells nobody more than that it does. */
export const TokenTest = () => {
  const project = useProject();
  const [verdict, setVerdict] = useState<Verdict>();
  return (
    <div className="stack">
      <p className="muted">
        Paste an access token or a client token. It is looked at here and shown to the gateway, and kept
        nowhere.
      </p>
      <Form
        submit="Test it"
        onSubmit={async (values) => {
          setVerdict(undefined);
          setVerdict(await verdictOf(project, values.text('token')));
        }}
      >
        <TextField name="token" label="Token" rows={4} isRequired autoComplete="off" isCode />
      </Form>
      <div role="status">{verdict && <VerdictShown verdict={verdict} />}</div>
    </div>
  );
};

const VerdictShown = ({ verdict: { facts, faults, accepted } }: { readonly verdict: Verdict }) => (
  <div className="panel stack">
    {accepted !== undefined ? (
      <p className="verdict good">
        <CircleCheck aria-hidden size={16} /> The gateway accepts it, as the actor <code>{accepted}</code>.
      </p>
    ) : (
      <p className="verdict bad">
        <CircleX aria-hidden size={16} /> It is not accepted.
      </p>
    )}
    {faults.length > 0 && (
      <ul className="bullets" aria-label="What is wrong">
        {faults.map((fault) => (
          <li key={fault}>{fault}</li>
        ))}
      </ul>
    )}
    {facts.length > 0 && (
      <ul className="bullets muted" aria-label="What it is">
        {facts.map((fact) => (
          <li key={fact}>{fact}</li>
        ))}
      </ul>
    )}
  </div>
);

const verdictOf = async (project: OpenProject, token: string): Promise<Verdict> => {
  const findings = findingsOf(token, Date.now());
  const faults = [...findings.faults, ...(await faultsOnRecord(project, findings))];
  if (faults.length > 0 || findings.kind === 'other')
    return { facts: findings.facts, faults, accepted: undefined };
  const { accepted, error } = await askGateway(token);
  if (accepted !== undefined) return { facts: findings.facts, faults, accepted };
  const guess =
    'Everything that can be seen is right. It may have been revoked, or its secret is another: the bytes of the signing key behind its dot are meant.';
  return { facts: findings.facts, faults: [`The gateway says ${error}.`, guess], accepted };
};

/** What the records of its actor and its key say against it. */
const faultsOnRecord = async (
  { api }: OpenProject,
  { actor, signingKey }: TokenFindings,
): Promise<string[]> => {
  const faults: string[] = [];
  if (actor !== undefined) {
    const found = await orMissing(
      answerOf(api.GET('/actors/{actorId}', { params: { path: { actorId: actor } } })),
    );
    if (found === undefined) faults.push(`There is no actor ${actor} in this project.`);
    else if (found.status !== 'active') faults.push(`The actor ${found.name} is disabled.`);
    else if (found.expiresAt !== null && Date.parse(found.expiresAt) <= Date.now())
      faults.push(`The actor ${found.name} has expired.`);
  }
  if (signingKey !== undefined) {
    const query = { limit: 100, 'orderBy[]': ['createdAt:DESC'] };
    const { data } = await answerOf(api.GET('/signing-keys', { params: { query } }));
    const found = data.find(({ keyId }) => keyId === signingKey);
    if (found === undefined) faults.push(`There is no signing key ${signingKey} in this project.`);
    else if (found.status !== 'active') faults.push(`The signing key ${found.name} is disabled.`);
  }
  return faults;
};

const orMissing = <T,>(read: Promise<T>): Promise<T | undefined> =>
  read.catch((error: unknown) => {
    if (isMissing(error)) return undefined;
    throw error;
  });

const askGateway = async (
  token: string,
): Promise<{ readonly accepted?: string; readonly error?: string }> => {
  const client = connect({ url: gatewayUrl(), token, reconnect: false });
  try {
    return { accepted: (await client.ready()).actorTokenId };
  } catch (error) {
    return { error: (error as RoomwireError).error };
  } finally {
    await client.close();
  }
};

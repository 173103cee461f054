import { useEffect, useState } from 'react';
import { useLocation } from 'wouter';
import { usePageTitle } from '../app/usePageTitle.js';
import { Button } from '../components/Button.js';
import { TextField } from '../components/fields.js';
import { Form } from '../components/Form.js';
import { Loading } from '../components/Loading.js';
import { Problem } from '../components/Problem.js';
import { ApiFailure, NoAnswer } from '../api/failure.js';
import { arrival } from './arrival.js';
import { exchangeCode, showSession, signInWays, type SignInWays } from './consoleRoutes.js';
import { leaveForIssuer } from './pkce.js';
import { signIn } from './sessionStore.js';

interface SignInPageProps {
  /** Why somebody who was signed in is not any more. */
  readonly reason: 'expired' | 'ended' | undefined;
}

const reasons = {
  expired: 'Your session has ended. Sign in again to go on where you were.',
  ended: 'You have signed out.',
} as const;

export const SignInPage = ({ reason }: SignInPageProps) => {
  usePageTitle('Sign in');
  const { ways, failure, retry } = useArrival();
  return (
    <main className="sign-in" id="content">
      <p className="wordmark">Roomwire</p>
      <h1>Sign in to the console</h1>
      {reason && (
        <p className="notice" role="status">
          {reasons[reason]}
        </p>
      )}
      {failure && <Problem error={failure} {...(failure instanceof NoAnswer ? { retry } : {})} />}
      {ways ? <Ways ways={ways} /> : !failure && <Loading what="the ways to sign in" />}
    </main>
  );
};

/** The ways to sign in, and what the address has brought, which signs in by itself. */
const useArrival = () => {
  const [, navigate] = useLocation();
  const [ways, setWays] = useState<SignInWays>();
  const [failure, setFailure] = useState<Error>();
  const [attempt, setAttempt] = useState(0);
  useEffect(() => {
    const arrive = async (): Promise<void> => {
      const offered = await signInWays();
      const arrived = await arrival(offered).finally(() => setWays(offered));
      if (arrived === undefined) return;
      if (arrived.place !== undefined) navigate(`~${arrived.place}`, { replace: true });
      signIn(arrived.token);
    };
    setFailure(undefined);
    arrive().catch((error: unknown) => setFailure(asCodeFailure(error)));
  }, [attempt, navigate]);
  return { ways, failure, retry: () => setAttempt(attempt + 1) };
};

const asCodeFailure = (error: unknown): Error =>
  error instanceof ApiFailure && error.status === 401
    ? new Error('This link was used before, or is too old. Run "npx roomwire console" for another one.')
    : (error as Error);

const Ways = ({ ways: { code, token, oidc } }: { readonly ways: SignInWays }) => (
  <>
    {oidc && (
      <div className="way">
        <IssuerButton way={oidc} />
      </div>
    )}
    {code && (
      <div className="way">
        <Form
          submit="Sign in with the code"
          onSubmit={async (values) => {
            const { token: session } = await exchangeCode(codeIn(values.text('code'))).catch(
              asFieldFailure('code'),
            );
            signIn(session);
          }}
        >
          <TextField
            name="code"
            label="One-time code, or the link with it"
            description="The first start prints one; “npx roomwire console” prints another."
            autoComplete="off"
            isRequired
            isCode
          />
        </Form>
      </div>
    )}
    {token && (
      <div className="way">
        <Form
          submit="Sign in with the token"
          onSubmit={async (values) => {
            const given = values.text('token').trim();
            await showSession(given).catch(asFieldFailure('token'));
            signIn(given);
          }}
        >
          <TextField
            name="token"
            label="Session token"
            description="“npx roomwire token” mints one. It stays in the memory of this page."
            type="password"
            autoComplete="off"
            isRequired
            isCode
          />
        </Form>
      </div>
    )}
  </>
);

const IssuerButton = ({ way }: { readonly way: NonNullable<SignInWays['oidc']> }) => {
  const [isLeaving, setLeaving] = useState(false);
  return (
    <Button
      look="primary"
      isPending={isLeaving}
      onPress={() => {
        setLeaving(true);
        void leaveForIssuer(way).catch(() => setLeaving(false));
      }}
    >
      Sign in with {new URL(way.issuer).host}
    </Button>
  );
};

/** Whoever copies the link instead of opening it means its code. */
const codeIn = (given: string): string => /#code=([^&\s]+)/.exec(given)?.[1] ?? given.trim();

/** A credential that the service does not take is a problem of its field. */
const asFieldFailure =
  (path: string) =>
  (error: unknown): never => {
    if (!(error instanceof ApiFailure) || error.status !== 401) throw error;
    throw new ApiFailure(401, error.message, [{ path, message: error.message }]);
  };

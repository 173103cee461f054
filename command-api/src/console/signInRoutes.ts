import type { FailedAuthentications } from '@roomwire/shared/credentials/failedAuthentications';
import type { ConsoleCredentials } from '@roomwire/shared/credentials/consoleCredentials';
import type { SignInCode } from '@roomwire/shared/credentials/signInCode';
import { noOrganization } from '@roomwire/shared/domain/auditHeads';
import { limitTable } from '@roomwire/shared/wire/limits/limitTable';
import { Rejection } from '../handling/rejections.js';
import { unwritten } from '../handling/writeModel.js';
import {
  publicRoute,
  roleIn,
  sessionContext,
  sessionRoute,
  type PublicCaller,
  type ResourceDeps,
  type Route,
} from '../http/route.js';
import { consoleSignInTarget } from './signInDecider.js';
import {
  exampleSession,
  exampleSignedIn,
  exampleSignIn,
  exampleWays,
  presentWays,
  sessionSchema,
  signedInSchema,
  signInSchema,
  signInWaysSchema,
} from './signInResource.js';
import type { SignInWays } from './signInWays.js';

export interface SignInDeps {
  readonly consoleCredentials: Pick<ConsoleCredentials, 'readCode' | 'mintSession'>;
  readonly signInWays: SignInWays;
  /** Answers bad codes late, as bad credentials. */
  readonly failures: Pick<FailedAuthentications, 'failed'>;
}

const organizationsShown = 100;
const tag = 'Console';

export const signInRoutes = (
  deps: Pick<ResourceDeps, 'commands' | 'views'> & SignInDeps,
): readonly Route[] => {
  const { commands, views, consoleCredentials, signInWays, failures } = deps;

  const validCode = async (code: string, { address }: PublicCaller): Promise<SignInCode> => {
    const found = consoleCredentials.readCode(code);
    if (found !== undefined) return found;
    await failures.failed({ address, keyId: undefined });
    throw new Rejection('sign_in_code_invalid', {});
  };

  return [
    publicRoute({
      method: 'get',
      path: '/console/sign-in',
      operationId: 'getSignInWays',
      tag,
      summary: 'Get the ways to sign in to the console',
      status: 200,
      answer: signInWaysSchema,
      example: { answer: exampleWays },
      rejections: [],
      handle: async () => presentWays(signInWays),
    }),

    publicRoute({
      method: 'post',
      path: '/console/sign-in',
      operationId: 'signIn',
      tag,
      summary: 'Exchange the code of a printed link for a session, once',
      body: signInSchema,
      status: 200,
      answer: signedInSchema,
      example: { body: exampleSignIn, answer: exampleSignedIn },
      rejections: ['sign_in_code_invalid'],
      async handle(request) {
        const { hash: codeHash, session } = await validCode(request.body.code, request.caller);
        const { subject, organizationIds, isOperator } = session;
        const context = { ...request, caller: { principal: `session:${subject}` } };
        await commands.execute(
          unwritten(consoleSignInTarget(codeHash)),
          { type: 'SignIn', signIn: { codeHash, subject, organizationIds, isOperator } },
          sessionContext(context, organizationIds[0] ?? noOrganization),
        );
        const lifetimeMs = limitTable.signedInMs.value;
        const expiresAt = new Date(Date.parse(request.now) + lifetimeMs).toISOString();
        return { token: await consoleCredentials.mintSession(session, lifetimeMs), expiresAt };
      },
    }),

    sessionRoute({
      method: 'get',
      path: '/console/session',
      operationId: 'getOwnSession',
      tag,
      summary: 'Get what the session opens',
      status: 200,
      answer: sessionSchema,
      example: { answer: exampleSession },
      rejections: [],
      async handle({ caller }) {
        const { principal, isOperator, organizationIds, session } = caller;
        const filter = isOperator ? {} : { organizationId: { $in: organizationIds } };
        const found = await views.find('organizations', {
          ...{ filter, sort: [['name', 1]], limit: organizationsShown + 1 },
        });
        return {
          ...{ principal, isOperator, expiresAt: new Date(session.expiresAt * 1_000).toISOString() },
          organizations: found.slice(0, organizationsShown).map(({ organizationId, name, status }) => ({
            ...{ organizationId, name, status, role: roleIn(caller, organizationId) },
          })),
          hasMore: found.length > organizationsShown,
        };
      },
    }),
  ];
};

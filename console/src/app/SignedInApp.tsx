import { QueryClientProvider, useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { Route, Switch } from 'wouter';
import { createApi, type Credential } from '../api/client.js';
import { Problem } from '../components/Problem.js';
import { Loading } from '../components/Loading.js';
import { SignedInContext } from '../session/console.js';
import { showSession } from '../session/consoleRoutes.js';
import { expire } from '../session/sessionStore.js';
import { ApiFailure } from '../api/failure.js';
import { ConnectionBanner } from './ConnectionBanner.js';
import { createQueryClient } from './queries.js';
import { HomePage } from './HomePage.js';
import { NotFoundPage } from './NotFoundPage.js';
import { ProjectFrame } from './ProjectFrame.js';

/** Everything that a session opens; another session starts anew, with nothing read by the one before. */
export const SignedInApp = ({ token }: { readonly token: string }) => {
  const [queryClient] = useState(createQueryClient);
  return (
    <QueryClientProvider client={queryClient}>
      <ConnectionBanner />
      <Opened token={token} />
    </QueryClientProvider>
  );
};

const credentialOf = (token: string): Credential => ({
  current: () => token,
  refused: async () => {
    expire(token);
    return undefined;
  },
});

const Opened = ({ token }: { readonly token: string }) => {
  const api = useMemo(() => createApi(credentialOf(token)), [token]);
  const session = useQuery({
    queryKey: ['session'],
    queryFn: async () => {
      try {
        return await showSession(token);
      } catch (error) {
        if (error instanceof ApiFailure && error.status === 401) expire(token);
        throw error;
      }
    },
  });
  if (session.isPending) return <Loading what="your session" isWholePage />;
  if (session.isError)
    return (
      <div className="whole-page">
        <Problem error={session.error} retry={session.refetch} />
      </div>
    );
  return (
    <SignedInContext value={{ token, api, shown: session.data }}>
      <Switch>
        <Route path="/">
          <HomePage />
        </Route>
        <Route path="/o/:organizationId/p/:projectId" nest>
          {({ organizationId, projectId }) => (
            <ProjectFrame key={projectId} organizationId={organizationId} projectId={projectId} />
          )}
        </Route>
        <Route>
          <NotFoundPage what="page" />
        </Route>
      </Switch>
    </SignedInContext>
  );
};

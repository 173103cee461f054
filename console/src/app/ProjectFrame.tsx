import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { Route, Switch } from 'wouter';
import { createApi } from '../api/client.js';
import { ApiFailure, isMissing } from '../api/failure.js';
import { Loading } from '../components/Loading.js';
import { Problem } from '../components/Problem.js';
import { pages } from '../pages.js';
import { OpenProjectContext, useSignedIn } from '../session/console.js';
import { createProjectAccess } from '../session/projectAccess.js';
import { Landing } from './Landing.js';
import { NotFoundPage } from './NotFoundPage.js';
import { projectQuery } from './projects.js';
import { Shell } from './Shell.js';

interface ProjectFrameProps {
  readonly organizationId: string;
  readonly projectId: string;
}

/** The pages of one project, if the session opens it. */
export const ProjectFrame = ({ organizationId, projectId }: ProjectFrameProps) => {
  const { api: sessionApi, token, shown } = useSignedIn();
  const project = useQuery(projectQuery(sessionApi, organizationId, projectId));
  const access = useMemo(
    () => createProjectAccess(token, { organizationId, projectId }),
    [token, organizationId, projectId],
  );
  const api = useMemo(() => createApi(access.credential), [access]);

  if (project.isPending) return <Loading what="the project" isWholePage />;
  if (project.isError)
    return isNotOpen(project.error) ? <NotFoundPage what="project" /> : <Unread {...project} />;
  const organization = shown.organizations.find((one) => one.organizationId === organizationId);
  const open = {
    ...{ organizationId, projectId, sessionApi, api, access },
    organizationName: organization?.name ?? organizationId,
    projectName: project.data.name,
    role: shown.isOperator ? 'admin' : (organization?.role ?? 'viewer'),
  } as const;
  return (
    <OpenProjectContext value={open}>
      <Shell>
        <Switch>
          <Route path="/">
            <Landing />
          </Route>
          {pages.map(({ path, Page }) => (
            <Route key={path} path={`/${path}`} nest>
              <Page />
            </Route>
          ))}
          <Route>
            <NotFoundPage what="page" />
          </Route>
        </Switch>
      </Shell>
    </OpenProjectContext>
  );
};

/** An address with something else than ids is of no project, either. */
const isNotOpen = (error: Error): boolean =>
  isMissing(error) || (error instanceof ApiFailure && error.status === 400);

const Unread = ({ error, refetch }: { readonly error: Error; refetch: () => unknown }) => (
  <div className="whole-page">
    <Problem error={error} retry={refetch} />
  </div>
);

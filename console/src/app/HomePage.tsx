import { useQueries } from '@tanstack/react-query';
import { Link, Redirect } from 'wouter';
import { Badge } from '../components/Badge.js';
import { EmptyState } from '../components/EmptyState.js';
import { Loading } from '../components/Loading.js';
import { useSignedIn } from '../session/console.js';
import { AccountMenu } from './AccountMenu.js';
import { projectPath } from './paths.js';
import { projectsQuery } from './projects.js';
import { usePageTitle } from './usePageTitle.js';

/** The organizations and projects of the session; where there is one project, that is open. */
export const HomePage = () => {
  const { api, shown } = useSignedIn();
  usePageTitle('Your projects');
  const { organizations, hasMore } = shown;
  const lists = useQueries({
    queries: organizations.map(({ organizationId }) => projectsQuery(api, organizationId)),
  });
  if (lists.some(({ isPending }) => isPending)) return <Loading what="your projects" isWholePage />;
  const all = lists.flatMap(({ data = [] }) => data);
  const [only] = all;
  if (only !== undefined && all.length === 1 && organizations.length === 1)
    return <Redirect replace to={projectPath(only.organizationId, only.projectId)} />;
  return (
    <>
      <header className="home-header">
        <span className="wordmark">Roomwire</span>
        <AccountMenu />
      </header>
      <main className="home" id="content">
        <h1>Your projects</h1>
        {organizations.length === 0 && (
          <EmptyState title="This session opens no organization">
            Ask an admin for a session that names yours, or make one with the API.
          </EmptyState>
        )}
        {organizations.map(({ organizationId, name, status, role }, index) => (
          <section key={organizationId} aria-label={name}>
            <h2>
              {name} <Badge>{role}</Badge> {status === 'suspended' && <Badge tone="bad">suspended</Badge>}
            </h2>
            <ul className="project-list">
              {lists[index]?.data?.map((project) => (
                <li key={project.projectId}>
                  <Link href={projectPath(organizationId, project.projectId)}>{project.name}</Link>
                </li>
              ))}
            </ul>
            {lists[index]?.data?.length === 0 && <p className="muted">No projects yet.</p>}
          </section>
        ))}
        {hasMore && <p className="muted">Only the first hundred organizations are shown.</p>}
      </main>
    </>
  );
};

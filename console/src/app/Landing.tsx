import { useQuery } from '@tanstack/react-query';
import { Redirect } from 'wouter';
import { answerOf } from '../api/failure.js';
import { Loading } from '../components/Loading.js';
import { useProject } from '../session/console.js';

/** Where a project begins: with the first steps while it has no app, then with the overview. */
export const Landing = () => {
  const { api, projectId } = useProject();
  const apps = useQuery({
    queryKey: [projectId, 'apps', 'any'],
    queryFn: () => answerOf(api.GET('/apps', { params: { query: { limit: 1 } } })),
  });
  if (apps.isPending) return <Loading what="the project" />;
  return <Redirect replace to={apps.data?.data.length === 0 ? '/start' : '/overview'} />;
};

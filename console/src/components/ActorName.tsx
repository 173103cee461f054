import { useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import { usePathTo } from '../app/paths.js';
import { answerOf } from '../api/failure.js';
import { useProject } from '../session/console.js';

/** The name of an actor, or its id while that is not known. */
export const ActorName = ({ actorTokenId }: { readonly actorTokenId: string }) => {
  const { api, projectId } = useProject();
  const pathTo = usePathTo();
  const { data } = useQuery({
    queryKey: [projectId, 'actor', actorTokenId],
    queryFn: () => answerOf(api.GET('/actors/{actorId}', { params: { path: { actorId: actorTokenId } } })),
    staleTime: 60_000,
  });
  return <Link href={pathTo('actors', actorTokenId)}>{data?.name ?? actorTokenId}</Link>;
};

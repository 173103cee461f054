import { useQuery } from '@tanstack/react-query';
import { answerOf } from '../../api/failure.js';
import { Loading } from '../../components/Loading.js';
import { Problem } from '../../components/Problem.js';
import { Time } from '../../components/Time.js';
import { useProject } from '../../session/console.js';

/** What was refused last, to whom and why. */
export const RecentRefusals = () => {
  const { sessionApi, organizationId: orgId, projectId } = useProject();
  const refusals = useQuery({
    queryKey: [projectId, 'refusals'],
    queryFn: () => {
      const params = { path: { orgId }, query: { projectId, limit: 6 } };
      return answerOf(sessionApi.GET('/organizations/{orgId}/access-log', { params }));
    },
    refetchInterval: 10_000,
  });
  return (
    <section className="panel" aria-labelledby="refusals">
      <h2 id="refusals">Refused lately</h2>
      {refusals.isError && <Problem error={refusals.error} retry={refusals.refetch} />}
      {refusals.isPending && <Loading what="the refusals" />}
      {refusals.data?.data.length === 0 && <p className="muted">Nothing on record.</p>}
      {refusals.data && refusals.data.data.length > 0 && (
        <ul className="refusals">
          {refusals.data.data.map(({ at, principal, reason, method, route, count }) => (
            <li key={`${at} ${principal} ${reason} ${method} ${route}`}>
              <span>
                <strong>{reason.replaceAll('_', ' ')}</strong> {count > 1 && `× ${count}`}
              </span>
              <Time at={at} />
              <code className="muted">
                {method} {route}
              </code>
              <code className="muted">{principal}</code>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
};

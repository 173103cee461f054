import { useQuery } from '@tanstack/react-query';
import { answerOf } from '../../api/failure.js';
import { Loading } from '../../components/Loading.js';
import { Problem } from '../../components/Problem.js';
import { Quota } from '../../components/Quota.js';
import { useProject } from '../../session/console.js';

/** What the plan of the organization allows, and how much of it is used: by all of its projects, as the plan is. */
export const Quotas = () => {
  const { sessionApi, organizationId: orgId, organizationName } = useProject();
  const usage = useQuery({
    queryKey: ['usage', orgId],
    queryFn: () => answerOf(sessionApi.GET('/organizations/{orgId}/usage', { params: { path: { orgId } } })),
    refetchInterval: 10_000,
  });
  return (
    <section className="panel" aria-labelledby="plan">
      <h2 id="plan">Plan of {organizationName}</h2>
      {usage.isError && <Problem error={usage.error} retry={usage.refetch} />}
      {usage.isPending && <Loading what="the usage" />}
      {usage.data && (
        <div className="stack">
          <Quota label="Connections" used={usage.data.connections} limit={usage.data.plan.maxConnections} />
          <Quota
            label={`Messages in ${monthOf(usage.data.month)}`}
            used={usage.data.messages.reduce((sum, { messages }) => sum + messages, 0)}
            limit={usage.data.plan.monthlyMessages}
          />
          <Quota
            label="Apps"
            used={usage.data.apps.reduce((sum, { apps }) => sum + apps, 0)}
            limit={usage.data.plan.maxApps}
          />
        </div>
      )}
    </section>
  );
};

const monthOf = (month: string): string =>
  new Date(`${month}-01T00:00:00Z`).toLocaleDateString('en', { month: 'long', timeZone: 'UTC' });

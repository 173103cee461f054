import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { usePathTo } from '../../app/paths.js';
import { answerOf } from '../../api/failure.js';
import { useProject } from '../../session/console.js';
import { latestOf, sumOf, type ActivityMinute } from './activity.js';

/** The numbers that one looks at first. */
export const Figures = ({ minutes }: { readonly minutes: readonly ActivityMinute[] }) => {
  const failed = sumOf(minutes, 'webhookCallsFailed');
  const refusals = sumOf(minutes, 'refusals');
  return (
    <dl className="figures">
      <Figure title="Connections" value={latestOf(minutes, 'connections')} />
      <Figure title="Messages in / min" value={latestOf(minutes, 'messagesIn')} />
      <Figure title="Messages out / min" value={latestOf(minutes, 'messagesOut')} />
      <Figure title="Webhook calls failed" value={failed} isBad={Boolean(failed)} />
      <DeadLetters />
      <Figure title="Refusals" value={refusals} isBad={Boolean(refusals)} />
    </dl>
  );
};

interface FigureProps {
  readonly title: ReactNode;
  /** Null where it is not known. */
  readonly value: number | null;
  readonly isBad?: boolean;
}

const Figure = ({ title, value, isBad = false }: FigureProps) => (
  <div className="figure">
    <dt>{title}</dt>
    <dd className={isBad ? 'bad' : undefined}>
      {value === null ? <span className="muted">–</span> : value.toLocaleString('en')}
    </dd>
  </div>
);

/** Of the organization: dead letters are counted for all of its projects. */
const DeadLetters = () => {
  const { sessionApi, organizationId: orgId, projectId } = useProject();
  const pathTo = usePathTo();
  const { data } = useQuery({
    queryKey: [projectId, 'pending dead letters'],
    queryFn: () =>
      answerOf(
        sessionApi.GET('/organizations/{orgId}/webhook-dlq/stats/pending-count', {
          params: { path: { orgId } },
        }),
      ),
    refetchInterval: 30_000,
  });
  const count = data?.count ?? null;
  return (
    <Figure
      title={<Link href={pathTo('webhooks')}>Dead letters</Link>}
      value={count}
      isBad={Boolean(count)}
    />
  );
};

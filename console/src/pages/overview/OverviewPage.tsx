import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { connectivity } from '../../api/connectivity.js';
import { answerOf } from '../../api/failure.js';
import { useStore } from '../../app/store.js';
import { SelectField } from '../../components/fields.js';
import { LiveBadge } from '../../components/LiveBadge.js';
import { Loading } from '../../components/Loading.js';
import { PageHeader } from '../../components/PageHeader.js';
import { Problem } from '../../components/Problem.js';
import { useProject } from '../../session/console.js';
import { Charts } from './Charts.js';
import { Figures } from './Figures.js';
import { Quotas } from './Quotas.js';
import { RecentRefusals } from './RecentRefusals.js';

const windows = [
  { id: '60', title: 'The last hour' },
  { id: '180', title: 'The last 3 hours' },
  { id: '360', title: 'The last 6 hours' },
] as const;

/** Minutes are counted when they are over. */
const readAgainMs = 10_000;

/** How the project is, now and in the last hours. */
export const OverviewPage = () => {
  const { sessionApi, organizationId, projectId } = useProject();
  const [minutes, setMinutes] = useState<string>('60');
  const isLost = useStore(connectivity) === 'lost';
  const activity = useQuery({
    queryKey: [projectId, 'activity', minutes],
    queryFn: async () => {
      const params = { path: { orgId: organizationId, projectId }, query: { minutes: Number(minutes) } };
      const { data } = await answerOf(
        sessionApi.GET('/organizations/{orgId}/projects/{projectId}/activity', { params }),
      );
      return data;
    },
    refetchInterval: readAgainMs,
    placeholderData: keepPreviousData,
  });
  return (
    <>
      <PageHeader
        title="Overview"
        aside={<LiveBadge state={isLost ? 'lost' : 'live'} />}
        actions={
          <SelectField
            name="minutes"
            label="Time"
            isLabelHidden
            choices={windows}
            value={minutes}
            onChange={setMinutes}
          />
        }
      />
      <div className="stack">
        {activity.error && <Problem error={activity.error} retry={activity.refetch} />}
        {activity.data ? (
          <>
            <Figures minutes={activity.data} />
            <Charts minutes={activity.data} />
          </>
        ) : (
          !activity.error && <Loading what="the activity" />
        )}
        <div className="halves">
          <Quotas />
          <RecentRefusals />
        </div>
      </div>
    </>
  );
};

import { LineChart, type Series } from '../../components/chart/LineChart.js';
import type { ActivityField, ActivityMinute } from './activity.js';

/** The last hours, minute by minute. */
export const Charts = ({ minutes }: { readonly minutes: readonly ActivityMinute[] }) => {
  const times = minutes.map(({ at }) => Date.parse(at));
  const line = (title: string, field: ActivityField): Series => ({
    title,
    values: minutes.map((minute) => minute[field]),
  });
  return (
    <div className="charts">
      <LineChart title="Connections" times={times} series={[line('Open', 'connections')]} />
      <LineChart
        title="Messages"
        unit="a minute"
        times={times}
        series={[line('In', 'messagesIn'), line('Out', 'messagesOut')]}
      />
      <LineChart
        title="Webhook calls"
        unit="a minute"
        times={times}
        series={[line('Delivered', 'webhookCallsDelivered'), line('Failed', 'webhookCallsFailed')]}
      />
      <LineChart title="Refusals" unit="a minute" times={times} series={[line('Refused', 'refusals')]} />
    </div>
  );
};

import { gatewayNews } from '@roomwire/shared/wire/bus/gatewayNews';
import { gatewayIdOf, organizationId } from '../model/estate.js';

/** Of the beat of a gateway with these connections by project: its report has them by organization. */
export const beatBytes = (gateway: number, projects: ReadonlyMap<number, number>): number => {
  const connections = Object.fromEntries(
    [...projects].map(([project, count]) => [organizationId(project), count]),
  );
  const report = { connections, presenceSequence: 100_000, readsAccounts: true, takesLeases: true };
  const beat = { kind: 'beat', gatewayId: gatewayIdOf(gateway), number: 1_000, report } as const;
  return gatewayNews.codec.encode({ ...beat, report: { ...report, knowsOwn: true, answers: [] } }).length;
};

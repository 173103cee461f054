import { monthAt } from '@roomwire/shared/domain/month';
import type { Organization } from '@roomwire/shared/domain/organizations/organization';
import type { ViewStore } from '@roomwire/shared/ports/viewStore';

/** A gateway that has been silent for so long is gone, and its connections with it. */
const gatewaySilenceMs = 15_000;

/** What an organization has used of its plan. `now`: ISO 8601. True to within 5 seconds. */
export const usageOf = async (views: ViewStore, { organizationId, plan }: Organization, now: string) => {
  const time = Date.parse(now);
  const month = monthAt(time).name;
  const projects = await views.find('projects', { filter: { organizationId }, sort: [['projectId', 1]] });
  const projectIds = projects.map(({ projectId }) => projectId);
  const [messages, connections, apps] = await Promise.all([
    views.usage(projectIds, month),
    views.connections(organizationId, new Date(time - gatewaySilenceMs).toISOString()),
    Promise.all(projectIds.map((projectId) => views.count('apps', { projectId }))),
  ]);
  return {
    month,
    messages: projectIds.map((projectId) => ({ projectId, messages: messages.get(projectId) ?? 0 })),
    connections,
    apps: projectIds.map((projectId, index) => ({ projectId, apps: apps[index] ?? 0 })),
    plan,
  };
};

import { queryOptions } from '@tanstack/react-query';
import type { components } from '@roomwire/server';
import { answerOf } from '../../api/failure.js';
import { useRows } from '../../api/useRows.js';
import { useProject, type OpenProject } from '../../session/console.js';

export type AuditEvent = components['schemas']['AuditEvent'];
export type Refusal = components['schemas']['AccessEntry'];

const pageSize = 50;

export const changeFilters = ['resourceId', 'principal', 'type', 'from', 'to', 'of'] as const;
export type ChangeFilters = Readonly<Partial<Record<(typeof changeFilters)[number], string>>>;

/** Those of the project, or of the whole organization. */
const ofProject = (project: OpenProject, of: string | undefined): { readonly projectId?: string } =>
  of === 'organization' ? {} : { projectId: project.projectId };

export const useChanges = ({ of, ...filters }: ChangeFilters) => {
  const project = useProject();
  const { sessionApi, organizationId } = project;
  const asked = { ...ofProject(project, of), ...filters };
  return useRows<AuditEvent>({
    queryKey: [organizationId, 'audit', asked],
    read: async ({ cursor }) => {
      const query = { limit: pageSize, ...asked, ...(cursor === undefined ? {} : { cursor }) };
      const params = { path: { orgId: organizationId }, query };
      const { data, nextCursor } = await answerOf(sessionApi.GET('/organizations/{orgId}/audit', { params }));
      return { data, next: nextCursor };
    },
  });
};

export const refusalFilters = ['principal', 'reason', 'from', 'to', 'of'] as const;
export type RefusalFilters = Readonly<Partial<Record<(typeof refusalFilters)[number], string>>>;

export const useRefusals = ({ of, ...filters }: RefusalFilters) => {
  const project = useProject();
  const { sessionApi, organizationId } = project;
  const asked = { ...ofProject(project, of), ...filters };
  return useRows<Refusal>({
    queryKey: [organizationId, 'access-log', asked],
    read: async ({ cursor }) => {
      const query = { limit: pageSize, ...asked, ...(cursor === undefined ? {} : { cursor }) };
      const params = { path: { orgId: organizationId }, query };
      const { data, nextCursor } = await answerOf(
        sessionApi.GET('/organizations/{orgId}/access-log', { params }),
      );
      return { data, next: nextCursor };
    },
  });
};

export const stateQuery = (
  { sessionApi, organizationId }: OpenProject,
  query: { readonly resourceId: string; readonly at?: string },
) =>
  queryOptions({
    queryKey: [organizationId, 'audit-state', query],
    queryFn: () => {
      const params = { path: { orgId: organizationId }, query };
      return answerOf(sessionApi.GET('/organizations/{orgId}/audit/state', { params }));
    },
  });

export const differencesQuery = (
  { sessionApi, organizationId }: OpenProject,
  query: { readonly resourceId: string; readonly from: string; readonly to?: string },
) =>
  queryOptions({
    queryKey: [organizationId, 'audit-diff', query],
    queryFn: () => {
      const params = { path: { orgId: organizationId }, query };
      return answerOf(sessionApi.GET('/organizations/{orgId}/audit/diff', { params }));
    },
  });

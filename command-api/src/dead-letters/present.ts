import type { DeadLetter } from '@roomwire/shared/domain/dead-letters/deadLetter';

export const presentDeadLetter = (entry: DeadLetter) => ({
  dlqId: entry.dlqId,
  organizationId: entry.organizationId,
  projectId: entry.projectId,
  appId: entry.appId,
  kind: entry.kind,
  url: entry.url,
  requestHeaders: entry.requestHeaders,
  requestBody: entry.requestBody,
  responseStatus: entry.responseStatus,
  error: entry.error,
  retryCount: entry.retryCount,
  status: entry.status,
  redriveCount: entry.redriveCount,
  lastRedriveAt: entry.lastRedriveAt,
  lastRedriveBy: entry.lastRedriveBy,
  createdAt: entry.createdAt,
  updatedAt: entry.updatedAt,
});

import type { JobGroupOwners } from '../../ports/jobStore.js';

/** The ids with which a group is removed. */
export const idsOf = ({ projectId, appId, roomId, accessScopeId }: JobGroupOwners): readonly string[] =>
  [projectId, appId, roomId, accessScopeId].filter((id) => id !== null);

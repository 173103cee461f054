import { EngineUnavailable } from '@roomwire/shared/ports/errors';
import { AskedJobGroups } from './jobGroupsPort.js';
import type { Jobs } from './jobs.js';
import { JobMembership } from './members/jobMembership.js';

/** What the rest of the gateway uses of them. */
export type JobsHere = Pick<
  Jobs,
  | 'start'
  | 'member'
  | 'take'
  | 'passed'
  | 'collects'
  | 'stored'
  | 'isGroup'
  | 'removeOf'
  | 'groups'
  | 'collect'
  | 'close'
>;

/** For a gateway that has nowhere to keep jobs. */
export const noJobs: JobsHere = {
  start: async () => undefined,
  member: (options) =>
    new JobMembership(options, {
      join: () => Promise.reject(new EngineUnavailable('jobs')),
      left: () => undefined,
      now: () => 0,
    }),
  take: () => undefined,
  passed: () => undefined,
  collects: () => false,
  stored: async () => undefined,
  isGroup: async () => false,
  removeOf: async () => undefined,
  collect: () => undefined,
  groups: new AskedJobGroups({ ask: () => Promise.reject(new EngineUnavailable('jobs')) }),
  close: async () => undefined,
};

import type { JobGroup, JobGroups } from '@roomwire/shared/ports/jobGroups';
import type { Questions } from './questions.js';

/** For a process that is no gateway: each of them reaches the owner of a group. */
export const askedJobGroups = (questions: Pick<Questions, 'askOne'>): JobGroups => ({
  async create(group) {
    const { created } = await questions.askOne({ kind: 'createGroup', ...group }, 'in turn');
    return created ?? 'withoutJobs';
  },

  async list(projectId, roomId) {
    const all: JobGroup[] = [];
    for (let isLast = false; !isLast;) {
      const after = all.at(-1)?.groupId;
      const part = await questions.askOne({ kind: 'listGroups', projectId, roomId, after });
      all.push(...part.groups);
      ({ isLast } = part);
    }
    return all;
  },

  async get(projectId, roomId, groupId) {
    return (await questions.askOne({ kind: 'getGroup', projectId, roomId, groupId })).group;
  },

  async peek(projectId, roomId, groupId, limit) {
    return (await questions.askOne({ kind: 'peekGroup', projectId, roomId, groupId, limit })).jobs;
  },

  async delete(projectId, roomId, groupId) {
    const answer = await questions.askOne({ kind: 'deleteGroup', projectId, roomId, groupId }, 'in turn');
    return answer.isDeleted;
  },
});

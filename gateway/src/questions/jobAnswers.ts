import type { JobGroups } from '@roomwire/shared/ports/jobGroups';
import { withinBytes } from '@roomwire/shared/runtime/withinBytes';
import type { GatewayAnswer } from '@roomwire/shared/wire/bus/gatewayQuestions';
import type { JobQuestion } from '@roomwire/shared/wire/bus/jobQuestions';
import { limitTable } from '@roomwire/shared/wire/limits/limitTable';

/** In one answer: some hundred bytes each. */
const groupsAtOnce = 1_000;

export const answerAboutJobs = async (groups: JobGroups, question: JobQuestion): Promise<GatewayAnswer> => {
  const { projectId, roomId } = question;
  switch (question.kind) {
    case 'createGroup': {
      const { kind, ...group } = question;
      const created = await groups.create(group);
      return { kind, created: created === 'withoutJobs' ? null : created };
    }
    case 'listGroups': {
      const { kind, after = '' } = question;
      const behind = (await groups.list(projectId, roomId)).filter(({ groupId }) => groupId > after);
      return { kind, groups: behind.slice(0, groupsAtOnce), isLast: behind.length <= groupsAtOnce };
    }
    case 'getGroup': {
      const { kind, groupId } = question;
      return { kind, group: await groups.get(projectId, roomId, groupId) };
    }
    case 'peekGroup': {
      const { kind, groupId, limit } = question;
      const jobs = await groups.peek(projectId, roomId, groupId, limit);
      return {
        kind,
        jobs: jobs && withinBytes(jobs, limitTable.peekedBytes.value, ({ body }) => body.length),
      };
    }
    case 'deleteGroup': {
      const { kind, groupId } = question;
      return { kind, isDeleted: await groups.delete(projectId, roomId, groupId) };
    }
  }
};

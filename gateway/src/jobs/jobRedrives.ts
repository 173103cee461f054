import type { MessageBus, QueueWorker } from '@roomwire/shared/ports/messageBus';
import { jobRedrives, type RedrivenWork } from '@roomwire/shared/wire/bus/lostWork';
import { webhookReports } from '@roomwire/shared/wire/bus/webhookReports';
import { jobShardOf } from './jobGroupsPort.js';
import type { JobRequests } from './link/jobRequests.js';
import type { RedrivenJob } from './redrivenJob.js';

export interface JobRedrivesDeps {
  readonly bus: Pick<MessageBus, 'put' | 'work'>;
  readonly requests: Pick<JobRequests, 'ask'>;
}

const concurrency = 4;

/** [WS-JOB-9] Brings dead letters back into their groups. */
export class JobRedrives {
  private readonly deps: JobRedrivesDeps;
  private worker: QueueWorker | undefined;

  constructor(deps: JobRedrivesDeps) {
    this.deps = deps;
  }

  async start(): Promise<void> {
    this.worker = await this.deps.bus.work(jobRedrives, { concurrency }, (redriven) =>
      this.redrive(redriven),
    );
  }

  async close(): Promise<void> {
    await this.worker?.close();
  }

  /** Rejects, to be tried again, where the owner of the group does not answer. */
  private async redrive({ redriveId, work }: RedrivenWork): Promise<void> {
    const { bus, requests } = this.deps;
    const { projectId, roomId, scope, topicName, group = '', rest } = work;
    const job: RedrivenJob = {
      ...{ projectId, roomId, topicName, group, redriveId, message: rest },
      accessScopeId: scope?.accessScopeId ?? null,
    };
    const isBack = await requests.ask(jobShardOf(roomId), 'redrive', job);
    await bus.put(
      webhookReports,
      isBack === true
        ? { outcome: 'redriven', work, redriveId }
        : { outcome: 'notRedriven', work, redriveId, error: 'group_not_found', status: 'pending' },
    );
  }
}

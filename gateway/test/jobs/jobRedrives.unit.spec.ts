import { join } from 'node:path';
import { expect } from 'chai';
import { openEmbeddedJobStore } from '@roomwire/shared/adapters/job-store/embeddedJobStore';
import { EngineUnavailable } from '@roomwire/shared/ports/errors';
import type { JobStore } from '@roomwire/shared/ports/jobStore';
import type { MessageBus } from '@roomwire/shared/ports/messageBus';
import type { RedrivenWork } from '@roomwire/shared/wire/bus/lostWork';
import type { WebhookReport } from '@roomwire/shared/wire/bus/webhookReports';
import { liveMessage } from '@roomwire/testing/builders/liveMessage';
import { groupOf } from '@roomwire/testing/contracts/job-store/storedJobs';
import { eventually } from '@roomwire/testing/run/eventually';
import { temporaryFolder, type TemporaryFolder } from '@roomwire/testing/run/temporaryFolder';
import { JobGroupAnswers } from '../../src/jobs/jobGroupsPort.js';
import { JobRedrives } from '../../src/jobs/jobRedrives.js';
import type { OwnedShard } from '../../src/jobs/owner/ownedShard.js';
import { packedMessage } from '../../src/jobs/owner/storedMessage.js';
import { openShard } from '../support/openShard.js';

const topic = 'project/app/_/room/news';
const record = groupOf('g', { topic });
const { room, name, owners } = record;

const redriven = (redriveId: string): RedrivenWork => ({
  redriveId,
  work: {
    ...{ dlqId: 'd', kind: 'job', organizationId: 'o', projectId: owners.projectId, appId: owners.appId },
    ...{ roomId: owners.roomId, room, roomName: 'room', topicName: 'news', actorId: 'actor', scope: null },
    ...{ data: Uint8Array.of(0xc0), group: name, attempts: 3 },
    rest: packedMessage(liveMessage({ room, topic })),
  },
});

describe('[WS-JOB-9] a job that is redriven', () => {
  let folder: TemporaryFolder;
  let store: JobStore;
  let owned: OwnedShard;
  let isBusAway: boolean;
  let commitsToFail: number;
  let reports: WebhookReport[];
  let redrive: (work: RedrivenWork) => Promise<void>;

  const own = async (term: number): Promise<void> => {
    owned = openShard(term, {
      store: Object.assign(Object.create(store) as JobStore, {
        commit: (...changes: Parameters<JobStore['commit']>) =>
          commitsToFail-- > 0 ? Promise.reject(new EngineUnavailable('jobs')) : store.commit(...changes),
      }),
    });
    await owned.ready;
    owned.gather([]);
  };

  beforeEach(async () => {
    folder = await temporaryFolder();
    store = await openEmbeddedJobStore({ file: (file) => join(folder.path, file) });
    [isBusAway, commitsToFail, reports] = [false, 0, []];
    await own(1);
    await owned.make(record);
    const answers = new JobGroupAnswers({
      shard: async () => owned,
      make: () => Promise.reject(new EngineUnavailable('jobs')),
    });
    const bus = {
      work: async (_queue: unknown, _options: unknown, handle: typeof redrive) => {
        redrive = handle;
        return { close: async () => undefined };
      },
      put: async (_queue: unknown, report: WebhookReport) => {
        if (isBusAway) throw new EngineUnavailable('message bus');
        reports.push(report);
      },
    } as unknown as MessageBus;
    const redrives = new JobRedrives({
      bus,
      requests: { ask: (shard, operation, values) => answers.answer(shard, operation, values) },
    });
    await redrives.start();
  });
  afterEach(async () => {
    owned.abandon();
    await store.close();
    await folder.remove();
  });

  const failureOf = (work: RedrivenWork): Promise<unknown> =>
    redrive(work).then(
      () => undefined,
      (error: unknown) => error,
    );
  const depth = (): number | undefined => owned.get(record.groupId)?.load.depth;

  it('is back once, although its report is stored at a later try', async () => {
    isBusAway = true;
    expect(await failureOf(redriven('r'))).to.be.instanceOf(EngineUnavailable);
    isBusAway = false;
    await redrive(redriven('r'));
    expect(depth()).to.equal(1);
    expect(reports.map((report) => 'outcome' in report && report.outcome)).to.eql(['redriven']);
  });

  it('is back once, although the commit that has it is done at a later try', async () => {
    commitsToFail = 1;
    expect(await failureOf(redriven('r'))).to.be.instanceOf(EngineUnavailable);
    await eventually(async () => (await failureOf(redriven('r'))) === undefined, { what: 'the commit' });
    expect(depth()).to.equal(1);
    expect(reports).to.have.length(1);
  });

  it('is back once, although the group has another owner meanwhile', async () => {
    isBusAway = true;
    expect(await failureOf(redriven('r'))).to.be.instanceOf(EngineUnavailable);
    isBusAway = false;
    owned.abandon();
    await own(2);
    await redrive(redriven('r'));
    expect(depth()).to.equal(1);
  });

  it('is back as often as it is redriven', async () => {
    for (const redriveId of ['r', 'another']) await redrive(redriven(redriveId));
    expect(depth()).to.equal(2);
  });
});

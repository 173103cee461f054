import { Buffer } from 'node:buffer';
import type {
  JobGroupRecord,
  JobStore,
  NewJob,
  StoredJob,
  StoredJobGroup,
} from '@roomwire/shared/ports/jobStore';

export const shard = 7;

export const groupOf = (groupId: string, fields: Partial<JobGroupRecord> = {}): JobGroupRecord => ({
  ...{ groupId, shard, room: 'p/a//r', topic: 'p/a//r/work', name: groupId },
  owners: { projectId: 'project', appId: 'app', roomId: 'room', accessScopeId: null },
  options: { prefetch: 100, ackSeconds: 60, maxDeliveries: 5 },
  ...{ isPermanent: false, createdAt: 1_700_000_000_000, emptiedAt: null },
  ...fields,
});

export const jobOf = (seq: number, bytes = 10): NewJob => ({
  ...{ seq, addedAt: 1_700_000_000_000 + seq },
  message: Buffer.alloc(bytes, `${seq};`),
});

export const jobsFrom = (first: number, last: number, bytes?: number): readonly NewJob[] =>
  Array.from({ length: last - first + 1 }, (_, n) => jobOf(first + n, bytes));

const asWaiting = (job: NewJob): StoredJob => ({ ...job, deliveries: 0, counted: 0, dueAt: 0 });

/** With messages of one type, so that they compare. */
export const plain = (jobs: readonly NewJob[]): readonly StoredJob[] =>
  jobs.map((job) => ({ ...asWaiting(job), ...job, message: Buffer.from(job.message) }));

/** Page by page, to the end. */
export const allJobs = async (
  store: JobStore,
  groupId: string,
  bounds: { readonly jobs?: number; readonly bytes?: number } = {},
): Promise<readonly StoredJob[]> => {
  const found: StoredJob[] = [];
  for (;;) {
    const after = found.at(-1)?.seq ?? 0;
    const page = await store.page(groupId, { after, jobs: 1_000, bytes: 4_000_000, ...bounds });
    if (page.length === 0) return plain(found);
    found.push(...page);
  }
};

export const seqsOf = async (store: JobStore, groupId: string): Promise<readonly number[]> =>
  (await allJobs(store, groupId)).map(({ seq }) => seq);

/** The group as its next owner finds it; undefined where it does not. */
export const takeGroup = async (
  store: JobStore,
  term: number,
  groupId: string,
): Promise<StoredJobGroup | undefined> =>
  (await store.take(shard, term)).groups.find((group) => group.groupId === groupId);

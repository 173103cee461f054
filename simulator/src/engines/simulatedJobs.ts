import { Buffer } from 'node:buffer';
import type { LogOrigin, LogPosition } from '@roomwire/shared/ports/eventLog';
import { EngineUnavailable } from '@roomwire/shared/ports/errors';
import {
  StaleTerm,
  type JobChanges,
  type JobGroupRecord,
  type JobPageBounds,
  type JobStore,
  type ReadingPositions,
  type StoredJob,
  type StoredJobGroup,
  type StoredShard,
} from '@roomwire/shared/ports/jobStore';
import type { SimulatedProcess } from '../cluster/simulatedProcess.js';
import type { Network } from './network.js';

interface Entry {
  record: JobGroupRecord;
  readonly jobs: Map<number, StoredJob>;
  ids: readonly { readonly seq: number; readonly id: string; readonly addedAt: number }[];
  lastSeq: number;
  collected: number;
}

interface ShardEntry {
  term: number;
  readonly positions: Map<number, number>;
}

/** The newest jobs of a group whose ids are known. */
const rememberedJobs = 50_000;

/** A line for each commit. */
export type OnCommit = (what: string) => void;

/** The server of the job store: what it holds survives every process. */
export class SimulatedJobs {
  position: LogPosition | undefined;
  origin: LogOrigin | undefined;
  private readonly groups = new Map<string, Entry>();
  private readonly shards = new Map<number, ShardEntry>();
  private readonly onCommit: OnCommit;

  constructor(onCommit: OnCommit = () => undefined) {
    this.onCommit = onCommit;
  }

  /** Of all groups. */
  *waiting(): Iterable<{ readonly group: JobGroupRecord; readonly job: StoredJob }> {
    for (const { record, jobs } of this.groups.values())
      for (const job of jobs.values()) yield { group: record, job };
  }

  take(shard: number, term: number): StoredShard {
    const entry = this.admit(shard, term);
    entry.term = term;
    const groups = this.all().filter((group) => group.shard === shard);
    return { groups, positions: new Map(entry.positions) };
  }

  all(): readonly StoredJobGroup[] {
    return [...this.groups.values()].map(({ record, jobs, lastSeq, collected }) => {
      const bytes = [...jobs.values()].reduce((sum, { message }) => sum + message.length, 0);
      return { ...record, depth: jobs.size, bytes, lastSeq, collected };
    });
  }

  write(record: JobGroupRecord, term: number): void {
    this.admit(record.shard, term);
    const known = this.groups.get(record.groupId);
    if (known) known.record = record;
    else this.groups.set(record.groupId, { record, jobs: new Map(), ids: [], lastSeq: 0, collected: -1 });
  }

  describe(record: JobGroupRecord, term: number): void {
    this.admit(record.shard, term);
    const known = this.groups.get(record.groupId);
    if (known) known.record = record;
  }

  commit(
    shard: number,
    term: number,
    changes: readonly JobChanges[],
    positions: ReadingPositions = new Map(),
  ): void {
    const entry = this.admit(shard, term);
    for (const change of changes) this.change(change);
    for (const [partition, offset] of positions) entry.positions.set(partition, offset);
    this.onCommit(`jobs of shard ${shard} in term ${term}: ${[...changes.map(textOf), ...positions].join()}`);
  }

  page(groupId: string, { after, jobs, bytes }: JobPageBounds): readonly StoredJob[] {
    const page: StoredJob[] = [];
    let sum = 0;
    for (const job of this.groups.get(groupId)?.jobs.values() ?? []) {
      if (job.seq <= after) continue;
      sum += job.message.length;
      if (page.length === jobs || (page.length > 0 && sum > bytes)) break;
      page.push(job);
    }
    return page;
  }

  get(groupId: string, seqs: readonly number[]): readonly StoredJob[] {
    const wanted = new Set(seqs);
    return [...(this.groups.get(groupId)?.jobs.values() ?? [])].filter(({ seq }) => wanted.has(seq));
  }

  recentIds(groupId: string, since: number): readonly string[] {
    const ids = this.groups.get(groupId)?.ids ?? [];
    return ids.filter(({ addedAt }) => addedAt >= since).map(({ id }) => id);
  }

  remove(groupId: string, term: number): void {
    const entry = this.groups.get(groupId);
    if (entry === undefined) return;
    this.admit(entry.record.shard, term);
    this.groups.delete(groupId);
  }

  removeOf(owners: readonly string[]): readonly string[] {
    const found = [...this.groups.values()]
      .filter(({ record }) => owners.some((owner) => belongsTo(record, owner)))
      .map(({ record }) => record.groupId);
    for (const groupId of found) this.groups.delete(groupId);
    return found;
  }

  private admit(shard: number, term: number): ShardEntry {
    const entry = this.shards.get(shard) ?? { term, positions: new Map<number, number>() };
    if (entry.term > term) throw new StaleTerm(shard, term);
    this.shards.set(shard, entry);
    return entry;
  }

  private change({ groupId, add = [], changed = [], settled = [], collected }: JobChanges): void {
    const entry = this.groups.get(groupId);
    if (entry === undefined) return;
    const { jobs } = entry;
    const ids = [...entry.ids];
    for (const { id, ...job } of add) {
      if (job.seq <= entry.lastSeq) continue;
      entry.lastSeq = job.seq;
      if (id !== undefined) ids.push({ seq: job.seq, id, addedAt: job.addedAt });
      jobs.set(job.seq, { ...job, message: Buffer.from(job.message), deliveries: 0, counted: 0, dueAt: 0 });
    }
    entry.ids = ids.filter(({ seq }) => seq > entry.lastSeq - rememberedJobs);
    for (const progress of changed) {
      const job = jobs.get(progress.seq);
      if (job) jobs.set(progress.seq, { ...job, ...progress });
    }
    for (const seq of settled) jobs.delete(seq);
    entry.collected = collected ?? entry.collected;
  }
}

const belongsTo = (
  { owners: { projectId, appId, roomId, accessScopeId } }: JobGroupRecord,
  owner: string,
): boolean => [projectId, appId, roomId, accessScopeId].includes(owner);

const textOf = ({ groupId, add = [], changed = [], settled = [], collected }: JobChanges): string => {
  const added = add.map(({ seq }) => `+${seq}`);
  const progress = changed.map(({ seq, deliveries, counted }) => `${seq}:${deliveries}/${counted}`);
  const gone = settled.map((seq) => `-${seq}`);
  return `${groupId.slice(0, 8)} ${[...added, ...progress, ...gone].join(' ')} to ${collected ?? '='}`;
};

/** `commitsWhole`: whether all groups of a commit are written at once; otherwise others may come between. */
export const jobStoreOn = (
  jobs: SimulatedJobs,
  call: <T>(act: () => T) => Promise<T>,
  commitsWhole: () => boolean = () => true,
): JobStore => {
  const underWay = new Set<Promise<unknown>>();
  let isOpen = true;
  const whileOpen = async <T>(act: () => Promise<T>): Promise<T> => {
    if (!isOpen) throw new EngineUnavailable('jobs');
    const acting = act();
    underWay.add(acting);
    return acting.finally(() => underWay.delete(acting));
  };
  const reach = <T>(act: () => T): Promise<T> => whileOpen(() => call(act));
  return {
    take: (shard, term) => reach(() => jobs.take(shard, term)),
    release: async () => undefined,
    find: (topic, name) =>
      reach(() => jobs.all().find((group) => group.topic === topic && group.name === name)),
    group: (groupId) => reach(() => jobs.all().find((group) => group.groupId === groupId)),
    groupsOf: (owner) => reach(() => jobs.all().filter((group) => belongsTo(group, owner))),
    write: (group, term) => reach(() => jobs.write(group, term)),
    describe: (group, term) => reach(() => jobs.describe(group, term)),
    commit: (shard, term, changes, positions) =>
      whileOpen(async () => {
        const half = commitsWhole() ? 0 : Math.ceil(changes.length / 2);
        if (half > 0) await call(() => jobs.commit(shard, term, changes.slice(0, half)));
        await call(() => jobs.commit(shard, term, changes.slice(half), positions));
      }),
    page: (groupId, bounds) => reach(() => jobs.page(groupId, bounds)),
    get: (groupId, seqs) => reach(() => jobs.get(groupId, seqs)),
    recentIds: (groupId, since) => reach(() => jobs.recentIds(groupId, since)),
    remove: (groupId, term) => reach(() => jobs.remove(groupId, term)),
    removeOf: (owners) => reach(() => jobs.removeOf(owners)),
    checkpoint: () => reach(() => jobs.position),
    origin: () => reach(() => jobs.origin),
    moveCheckpoint: (position, origin) =>
      reach(() => {
        jobs.position = position;
        jobs.origin = origin;
      }),
    close: async () => {
      isOpen = false;
      await Promise.allSettled(underWay);
    },
  };
};

/** The store as one process has it. */
export const jobStorePort = (process: SimulatedProcess, network: Network, jobs: SimulatedJobs): JobStore =>
  jobStoreOn(
    jobs,
    (act) => network.call(process, 'views', 'jobs', act),
    () => !network.isHostile || network.chance.next() < 0.7,
  );
